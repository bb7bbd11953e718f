"""The page where a person gives the secret: the token typed comes in, a cookie and the way back go out."""

from __future__ import annotations

from html import escape
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from rag.serving.guards.rates import Buckets, client_of, too_many
from rag.serving.guards.tokens import LOGIN
from rag.serving.plain_page import plain_page
from rag.serving.sessions import COOKIE, LASTS_S, is_secret, new_session
from rag.serving.state import State

_TRIES_A_MINUTE = 10
_MOST_CHARS = 4_000
_FORM = """
.page { max-width: 24rem; margin: 15vh auto; padding: 0 1.25rem; }
input, button { font: inherit; width: 100%; padding: .5rem .7rem; margin: .4rem 0; border-radius: .4rem;
  border: 1px solid var(--line); background: var(--card); color: var(--ink); }
button { background: var(--link); color: var(--paper); border-color: var(--link); cursor: pointer; }
"""


def router(state: State) -> APIRouter:
    """Return the routes of the login page."""
    routes = APIRouter(include_in_schema=False)
    tries = Buckets(_TRIES_A_MINUTE, _TRIES_A_MINUTE)

    @routes.get(LOGIN)
    async def ask(next: str = "/") -> Response:
        return _page(next, "") if state.settings.token else RedirectResponse("/", 303)

    @routes.post(LOGIN)
    async def take(request: Request) -> Response:
        given = parse_qs((await request.body())[:_MOST_CHARS].decode("utf-8", "replace"))
        token, back = (given.get(name, [""])[0] for name in ("token", "next"))
        if not state.settings.token:
            return RedirectResponse("/", 303)
        # Asked before the secret is looked at: who has guessed too often is not told even of a right guess.
        wait_s = tries.take(client_of(request.scope))
        if wait_s:
            return too_many(wait_s).answer(request.scope)
        if not is_secret(token.strip(), state.settings.token):
            return _page(back, "This is not the token.", 403)
        response = RedirectResponse(_local(back), 303)
        response.set_cookie(
            COOKIE,
            new_session(state.settings.token),
            max_age=LASTS_S,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return response

    return routes


def _local(back: str) -> str:
    """Return the path to go back to, if it leads to this server and nowhere else."""
    leads_away = not back.startswith("/") or back.startswith(("//", "/\\")) or not back.isprintable()
    return "/" if leads_away else back


def _page(back: str, said: str, status: int = 200) -> Response:
    words = f'<p role="alert">{escape(said)}</p>' if said else ""
    form = (
        f'<h1>askpapers</h1>\n{words}<form method="post" action="{LOGIN}">\n'
        '<label for="token">Token (RAG_TOKEN)</label>\n'
        '<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>\n'
        f'<input type="hidden" name="next" value="{escape(_local(back))}">\n'
        "<button>Enter</button>\n</form>\n"
    )
    return plain_page("askpapers", form, _FORM, status)
