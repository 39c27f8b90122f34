"""core/processes.py: processes that this one starts, whatever its thread and its handlers are."""

import os
import signal
import threading
import time

import pytest

from sprawl_env.core import processes
from sprawl_env.core.processes import on_interrupt, spawn


def say_and_wait(pipe):
    """Say whether Ctrl-C is ignored, then send back what comes."""
    pipe.send(signal.getsignal(signal.SIGINT) == signal.SIG_IGN)
    pipe.send(pipe.recv())


def talk():
    """Start a process, send it Ctrl-C, and return what it says."""
    process, pipe = spawn(say_and_wait)
    ignores = pipe.recv()
    os.kill(process.pid, signal.SIGINT)
    pipe.send("again")
    answer = pipe.recv()
    process.join()
    return ignores, answer, process.exitcode


def in_thread(call):
    """Return what a call in another thread returns or raises."""
    found = []

    def body():
        try:
            found.append(call())
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    return found[0]


def test_a_process_ignores_ctrl_c_whichever_thread_starts_it():
    before = signal.getsignal(signal.SIGINT)
    assert talk() == in_thread(talk) == (True, "again", 0)
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_calls_the_handler_inside_the_block_only():
    met = []
    with on_interrupt(lambda *_: met.append(1)):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
    assert met == [1]
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)


def test_another_thread_leaves_the_handler_alone():
    before = signal.getsignal(signal.SIGINT)

    def seen():
        with on_interrupt(signal.SIG_IGN):
            return signal.getsignal(signal.SIGINT)

    assert in_thread(seen) is before


def test_a_handler_that_python_did_not_set_becomes_the_systems(monkeypatch):
    given = []
    monkeypatch.setattr(processes.signal, "signal", lambda number, handler: given.append(handler))
    with on_interrupt(signal.SIG_IGN):
        pass
    assert given == [signal.SIG_IGN, signal.SIG_DFL]
