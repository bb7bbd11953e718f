"""The pages that add papers: files, text or the sample come in, a page that tells how far goes out."""

from __future__ import annotations

import io

import anyio.to_thread
from fastapi import APIRouter, Request
from starlette.datastructures import FormData, UploadFile
from starlette.responses import RedirectResponse, Response

from rag.counting import counted
from rag.outputs.printable import clean
from rag.resources import seeds
from rag.serving.loading import MOST_FILES, Job, UnknownJob, Upload
from rag.serving.pages.shell import NotThere, Shell

_MOST_NOTES = 50


def routes(shell: Shell) -> APIRouter:
    """Return the routes of adding."""
    router = shell.routes()
    loading, options = shell.state.loading, shell.state.options

    @router.get("/papers/add")
    def page(request: Request) -> Response:
        return _page(shell, request)

    @router.post("/papers/add", max_body_size=options.upload_bytes)
    async def add(request: Request) -> Response:
        async with request.form(max_files=MOST_FILES, max_part_size=options.body_bytes) as form:
            uploads = _uploads(form)
            if not uploads:
                return _page(shell, request, "Choose a file or paste some abstracts first.", 400)
            return _watch(await anyio.to_thread.run_sync(loading.take, uploads))

    @router.post("/papers/sample")
    def sample() -> Response:
        return _watch(loading.read([seeds()]))

    @router.get("/papers/loading/{job_id}")
    def job(request: Request, job_id: str) -> Response:
        try:
            found = loading.job(job_id)
        except UnknownJob as error:
            raise NotThere(
                "Nothing is known of this any more.", hint="Papers lists what is there."
            ) from error
        return _job_page(shell, request, found)

    return router


def _uploads(form: FormData) -> list[Upload]:
    """Return what a form sends; a browser sends an empty file where none was chosen."""
    files = [part for part in form.getlist("files") if isinstance(part, UploadFile) and part.filename]
    pasted = form.get("pasted", "")
    text = clean(pasted) if isinstance(pasted, str) else ""
    written = [Upload("pasted.txt", io.BytesIO(text.encode("utf-8")))] if text.strip() else []
    return [*(Upload(file.filename or "", file.file) for file in files), *written]


def _watch(job: Job) -> Response:
    return RedirectResponse(f"/papers/loading/{job.id}", 303)


def _page(shell: Shell, request: Request, problem: str = "", status: int = 200) -> Response:
    sample = not shell.state.count
    return shell.page(
        request, "add", status=status, problem=problem, sample=sample,
        most_bytes=shell.state.options.upload_bytes, most_files=MOST_FILES,
    )  # fmt: skip


def _job_page(shell: Shell, request: Request, job: Job) -> Response:
    report = job.report
    failed = [(failure.file, failure.reason, failure.hint) for failure in report.failures] if report else []
    return shell.page(
        request, "loading", job=job, told=_told(job), failed=failed,
        notices=report.notices[:_MOST_NOTES] if report else (),
        more=max(0, len(report.notices) - _MOST_NOTES) if report else 0,
        error=shell.told(job.failure) if job.failure else None,
    )  # fmt: skip


def _told(job: Job) -> str:
    """Say how far it is, and at its end what was done."""
    if job.status == "waiting":
        return "Waiting until something else has been read."
    there = f", {job.unchanged} already there" if job.unchanged else ""
    if job.is_over:
        return f"{counted(job.added, 'paper')} added{there}."
    if not job.file:
        return "Getting ready to read."
    return f"File {job.position} of {job.files}: {counted(job.added, 'paper')} added so far{there}."
