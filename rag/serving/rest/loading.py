"""REST for loading papers: files or text in, a job to watch out."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from typing import Annotated, Any

import anyio
import anyio.to_thread
from fastapi import APIRouter, File, Request, UploadFile
from starlette.responses import Response, StreamingResponse

from rag.errors import UsageError
from rag.resources import seeds
from rag.serving.answering import EVENT_STREAM, Event, sse
from rag.serving.doors import REST
from rag.serving.loading import MOST_FILES, Job, Upload
from rag.serving.problems import problem_of
from rag.serving.replies import BEGUN, JOB, PROBLEMS, json_response
from rag.serving.shapes import PasteBody
from rag.serving.state import State

_BETWEEN_LOOKS_S = 0.2


def router(state: State) -> APIRouter:
    """Return the routes that load papers, and those of their jobs."""
    routes = APIRouter(prefix=REST, responses=PROBLEMS, tags=["papers"])
    _add_beginning(routes, state)
    _add_watching(routes, state)
    return routes


def _add_beginning(routes: APIRouter, state: State) -> None:
    @routes.post(
        "/ingest",
        status_code=202,
        responses=BEGUN,
        summary="Load papers from files",
        form_limits={"max_files": MOST_FILES},
    )
    async def upload(files: Annotated[list[UploadFile], File(max_length=MOST_FILES)]) -> Response:
        """Begin to read files, as `rag ingest` would. Their names are shown, and used for nothing else."""
        uploads = [Upload(file.filename or "", file.file) for file in files]
        return _begun(state, await anyio.to_thread.run_sync(state.loading.take, uploads))

    @routes.post("/ingest/text", status_code=202, responses=BEGUN, summary="Load papers from text")
    async def paste(body: PasteBody) -> Response:
        """Begin to read abstracts that are separated by blank lines."""
        try:
            content = body.text.encode()
        except UnicodeEncodeError as error:
            raise UsageError("The text holds halves of characters.") from error
        upload = Upload(f"{body.name or 'pasted'}.txt", io.BytesIO(content))
        return _begun(state, await anyio.to_thread.run_sync(state.loading.take, [upload]))

    @routes.post("/ingest/samples", status_code=202, responses=BEGUN, summary="Load the sample abstracts")
    async def samples() -> Response:
        """Begin to read the abstracts that come with the program."""
        return _begun(state, state.loading.read([seeds()]))


def _add_watching(routes: APIRouter, state: State) -> None:
    @routes.get("/jobs", summary="The latest jobs")
    async def jobs() -> Response:
        """Return the latest jobs, newest first."""
        return json_response({"jobs": [job_dict(state, job) for job in state.loading.jobs()]})

    @routes.get("/jobs/{job_id}", responses=JOB, summary="How a job stands")
    async def job(job_id: str, request: Request) -> Response:
        """Return how far a job is, and in the end its report or failure.

        With `Accept: text/event-stream`, an event `progress` at each change, then `done` or `failed`.
        """
        found = state.loading.job(job_id)
        if EVENT_STREAM in request.headers.get("accept", ""):
            return StreamingResponse(_watched(state, job_id), media_type=EVENT_STREAM)
        return json_response(job_dict(state, found))


def job_dict(state: State, job: Job) -> dict[str, Any]:
    """Return a job as JSON values, its failure as a problem."""
    failure = problem_of(job.failure, state.settings).to_dict() if job.failure is not None else None
    return job.to_dict() | {"problem": failure}


def _begun(state: State, job: Job) -> Response:
    return json_response(job_dict(state, job), 202, {"Location": f"{REST}/jobs/{job.id}"})


async def _watched(state: State, job_id: str) -> AsyncIterator[bytes]:
    seen = None
    while True:
        job = state.loading.job(job_id)
        if job != seen:
            yield sse(Event(job.status if job.is_over else "progress", job_dict(state, job)))
        if job.is_over:
            return
        seen = job
        await anyio.sleep(_BETWEEN_LOOKS_S)
