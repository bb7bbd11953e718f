"""What stands before every route: an application comes in; one that is safe to serve goes out.

    log        one line of JSON a request
    headers    what browsers are told to forbid
    hosts      no name but those the server is known by
    origins    nothing is changed for a page of another site
    rates      no client asks without end
    tokens     nobody without the secret, if there is one
    bodies     nothing larger than the limit
    heads      whoever asks for the head of a page gets no more
    faults     a mistake of the server becomes an answer

Each is an ASGI application around the next.
"""

from __future__ import annotations

from fastapi import FastAPI

from rag.serving.guards.bodies import Bodies
from rag.serving.guards.faults import Faults
from rag.serving.guards.headers import Headers
from rag.serving.guards.heads import Heads
from rag.serving.guards.hosts import Hosts
from rag.serving.guards.log import Log
from rag.serving.guards.origins import Origins
from rag.serving.guards.rates import Rates
from rag.serving.guards.tokens import Tokens
from rag.serving.state import State


def guard(app: FastAPI, state: State) -> None:
    """Put the guards around an application; a request meets the log first and the faults last."""
    app.add_middleware(Faults, settings=state.settings)
    app.add_middleware(Heads)
    app.add_middleware(Bodies, body_bytes=state.options.body_bytes, upload_bytes=state.options.upload_bytes)
    app.add_middleware(Tokens, secret=state.settings.token)
    app.add_middleware(Rates, per_minute=state.options.rate_per_minute)
    app.add_middleware(Origins)
    app.add_middleware(Hosts, bound=state.options.host, more=state.options.hosts)
    app.add_middleware(Headers)
    app.add_middleware(Log, with_questions=state.options.log_questions)
