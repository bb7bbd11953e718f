"""The library over HTTP: pages for people, REST and other doors for programs."""
