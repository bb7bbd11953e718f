"""The description of the interface (OpenAPI): the application comes in, what programs read of it goes out."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from rag.serving.replies import SHAPES

_ABOUT = (
    "Questions to a pile of paper abstracts; every sentence of an answer cites the sentence it rests on. If"
    " the server has a token, send it as `Authorization: Bearer TOKEN`."
)


def describe(app: FastAPI) -> dict[str, Any]:
    """Return the description, made once."""
    if app.openapi_schema is None:
        found = get_openapi(title=app.title, version=app.version, description=_ABOUT, routes=app.routes)
        schemas = found.setdefault("components", {}).setdefault("schemas", {})
        for name, shape in SHAPES.items():
            schemas[name] = shape.model_json_schema()
        # What FastAPI says of requests that do not fit is not what this server sends.
        for unused in ("HTTPValidationError", "ValidationError"):
            schemas.pop(unused, None)
        found["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        found["security"] = [{}, {"token": []}]
        app.openapi_schema = found
    return app.openapi_schema
