"""Ctrl-C ends a command also where Python drops the exception it raises."""

from __future__ import annotations

import signal
import sys
import threading

import click
import pytest

from rag.cli import interrupts, program

DEADLINE_S = 20.0


class Dropping:
    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


def test_ctrl_c_in_a_del_is_pressed_again(monkeypatch, capsys):
    before = sys.unraisablehook

    @click.command()
    def waits() -> None:
        Dropping()
        # Where it was dropped the command goes on, and would until this deadline.
        threading.Event().wait(DEADLINE_S)

    monkeypatch.setattr(program, "group", waits)
    assert program.main([]) == program.INTERRUPTED
    assert capsys.readouterr().err.strip() == "interrupted"
    assert sys.unraisablehook is before


def test_other_errors_that_python_drops_are_told_as_before(monkeypatch):
    told: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda dropped: told.append(dropped.exc_type))

    class Odd:
        def __del__(self) -> None:
            raise ValueError

    with interrupts.kept():
        Odd()
    assert told == [ValueError]


@pytest.mark.parametrize(("error", "hidden"), [(ImportError("numpy"), True), (ValueError("odd"), False)])
def test_an_import_that_was_interrupted_is_an_interrupt(error, hidden):
    error.__cause__ = KeyboardInterrupt()
    assert interrupts.hides(error) is hidden
    assert not interrupts.hides(ImportError("missing"))
