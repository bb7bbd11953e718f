"""Answers made for clients: a job and who waits for it come in, its result or events go out.

The library is synchronous: each job runs in a thread. Only so many run at once, and a job whose client has
gone is stopped at its next step or sentence.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from rag.domain import Answer, AnswerSentence
from rag.errors import RagError
from rag.jobs.ask import Stage
from rag.serving.workers import Workers

T = TypeVar("T")
RETRY_AFTER_S = 5
EVENT_STREAM = "text/event-stream"
_PING_S = 15.0
# How long a job may take to notice that the server ends.
_LAST_S = 1.0
_PING = b": still at work\n\n"


class Busy(RagError):
    """As many answers as the server can make are under way."""


def _ending() -> Busy:
    return Busy("The server is being stopped.", hint="Ask again when it has been started.")


class Stopped(BaseException):
    """Nobody waits any more: not an Exception, so that no part of a job takes it for a failure of its own."""


class ClientGone(Exception):
    """The client went away before its answer was ready."""


class Halt:
    """Tells a job in a thread that it is to stop."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._at_end: list[Callable[[], object]] = []

    def stop(self) -> None:
        """Let the next check raise."""
        self._event.set()

    def end(self) -> None:
        """Stop, because the server ends: tell also those who wait for the job."""
        self.stop()
        for tell in self._at_end:
            # A loop that has ended has nobody left who waits.
            with suppress(RuntimeError):
                tell()

    async def ended(self) -> None:
        """Wait until the server ends."""
        over = asyncio.Event()
        self._at_end.append(partial(asyncio.get_running_loop().call_soon_threadsafe, over.set))
        await over.wait()

    def check(self) -> None:
        """Raise Stopped once nobody waits any more."""
        if self._event.is_set():
            raise Stopped


@dataclass(frozen=True, slots=True)
class Event:
    """A thing to tell a client: the `data` of a sentence or an answer is it itself, else JSON values."""

    name: str
    data: Any


class Voice:
    """What a job tells of itself while it runs, in its thread; every method ends a job that is to stop."""

    def __init__(self, halt: Halt, tell: Callable[[Event], None] = lambda event: None) -> None:
        self.check = halt.check
        self._tell = tell

    def stage(self, stage: Stage, papers: int) -> None:
        """Tell which step begins."""
        self.check()
        self._tell(Event("stage", {"stage": stage, "papers": papers}))

    def sentence(self, sentence: AnswerSentence) -> None:
        """Tell of a sentence that is finished and checked."""
        self.check()
        self._tell(Event("sentence", sentence))


class Answers:
    """At most `at_once` jobs at the same time, and at most `waiting` more that wait for their turn."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self._workers = Workers(at_once)
        self._most = at_once + waiting
        self._halts: set[Halt] = set()
        self._lock = threading.Lock()
        self._closed = False

    @contextmanager
    def place(self) -> Iterator[Halt]:
        """Take a place for one job; raise Busy when there is none left."""
        halt = Halt()
        with self._lock:
            if self._closed:
                raise _ending()
            if len(self._halts) >= self._most:
                raise Busy(
                    "The server is answering as many questions as it can.", hint="Ask again in a few seconds."
                )
            self._halts.add(halt)
        try:
            yield halt
        finally:
            with self._lock:
                self._halts.discard(halt)

    async def run(self, request: Request | None, job: Callable[[Voice], T]) -> T:
        """Return the result of a job for the client of a request, whose body must have been read.

        Without a request the job goes on until it is cancelled. Raises Busy when there is no place,
        ClientGone when the client went away.
        """
        receive = request.receive if request is not None else _never
        with self.place() as halt:
            return await self.watched(halt, receive, lambda: job(Voice(halt)))

    async def watched(self, halt: Halt, receive: Receive, work: Callable[[], T]) -> T:
        """Have the work done by a worker, and stop it when the client goes away.

        When this is cancelled, or the server ends, the worker is told to stop and is not waited for.
        """
        done = self._workers.submit(partial(_caught, halt, work))
        outcomes: list[_Outcome[T]] = []
        async with anyio.create_task_group() as group:
            group.start_soon(_stop_when_gone, receive, halt)
            group.start_soon(_give_up, halt, group.cancel_scope)
            outcomes.append(await asyncio.wrap_future(done))
            group.cancel_scope.cancel()
        if not outcomes or (outcomes[0].was_stopped and self._closed):
            raise _ending()
        return outcomes[0].value()

    def stop(self) -> None:
        """Stop the jobs under way, and take no more."""
        with self._lock:
            self._closed = True
            for halt in self._halts:
                halt.end()
        self._workers.close()


@dataclass(frozen=True, slots=True)
class _Outcome(Generic[T]):
    """What became of the work: errors travel as values, so that a task group does not wrap them."""

    result: T | None = None
    error: BaseException | None = None

    @property
    def was_stopped(self) -> bool:
        return isinstance(self.error, Stopped)

    def value(self) -> T:
        if self.was_stopped:
            raise ClientGone from self.error
        if self.error is not None:
            raise self.error
        return self.result  # type: ignore[return-value]


def _caught(halt: Halt, work: Callable[[], T]) -> _Outcome[T]:
    try:
        halt.check()
        return _Outcome(work())
    except Stopped:
        # A new one: the frames of the old one hold the stream of a chat model, which is to be closed now.
        return _Outcome(error=Stopped())
    except Exception as error:
        return _Outcome(error=error)


async def _give_up(halt: Halt, waiting: anyio.CancelScope) -> None:
    """End the waiting soon after the server began to end: a worker may wait for a silent server."""
    await halt.ended()
    await anyio.sleep(_LAST_S)
    waiting.cancel()


async def _never() -> Message:
    await anyio.sleep_forever()
    raise AssertionError("unreachable")


async def _stop_when_gone(receive: Receive, halt: Halt) -> None:
    """Wait until the client goes away; what it still sends is of no interest."""
    try:
        while (await receive())["type"] != "http.disconnect":
            pass
    except HTTPException:
        # It sends more than the server takes: nobody to answer.
        return
    finally:
        # Also when this very task is cancelled: the server stops, or the work is done.
        halt.stop()


Encode = Callable[[Event], bytes]
AnswerJob = Callable[[Voice], Answer]


class EventStream(Response):
    """The answer to a request as server-sent events: its steps and sentences, then the answer or an error.

    `encode` turns an event into bytes, by default those of server-sent events with JSON; `failed` turns what
    went wrong into an event.
    """

    media_type = EVENT_STREAM

    def __init__(
        self,
        answers: Answers,
        job: AnswerJob,
        failed: Callable[[Exception], Event],
        encode: Encode | None = None,
    ) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._answers, self._job, self._failed = answers, job, failed
        self._encode = encode or sse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events; raise Busy before anything is sent."""
        with self._answers.place() as halt:
            writer, reader = anyio.create_memory_object_stream[Event](float("inf"))
            async with anyio.create_task_group() as group, reader:
                group.start_soon(self._work, halt, receive, writer)
                # A client that went away is nobody's fault.
                with suppress(OSError):
                    await self._pass_on(reader, send)
                halt.stop()

    async def _work(self, halt: Halt, receive: Receive, writer: MemoryObjectSendStream[Event]) -> None:
        loop = asyncio.get_running_loop()

        def tell(event: Event) -> None:
            loop.call_soon_threadsafe(writer.send_nowait, event)

        with writer:
            try:
                answer = await self._answers.watched(halt, receive, lambda: self._job(Voice(halt, tell)))
                writer.send_nowait(Event("answer", answer))
            except ClientGone:
                return
            except Exception as error:
                writer.send_nowait(self._failed(error))

    async def _pass_on(self, reader: MemoryObjectReceiveStream[Event], send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async for body in self._bodies(reader):
            await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _bodies(self, reader: MemoryObjectReceiveStream[Event]) -> AsyncIterator[bytes]:
        """Yield each event, and a comment now and then: what is silent for long is cut off on its way."""
        while True:
            event = None
            with anyio.move_on_after(_PING_S):
                try:
                    event = await reader.receive()
                except anyio.EndOfStream:
                    return
            yield _PING if event is None else self._encode(event)


def sse(event: Event) -> bytes:
    """Return an event in the form of server-sent events, its data as JSON on one line."""
    from rag.outputs.printable import to_json

    is_ours = isinstance(event.data, Answer | AnswerSentence)
    data = to_json(event.data.to_dict() if is_ours else event.data, indent=None)
    return f"event: {event.name}\ndata: {data}\n\n".encode()
