"""Check a draft: every citation is resolved, located in its paper, and judged."""
