"""commands/warmup.py: what the processes that compile say of errors."""

from multiprocessing import Pipe
from threading import Thread

import pytest

from sprawl_env.commands.warmup import _receive, _serve
from sprawl_env.core.errors import SprawlError, UnknownName
from sprawl_env.core.registry import rules_of


def test_a_process_that_has_died_is_one_line():
    ours, theirs = Pipe()
    theirs.close()
    with pytest.raises(SprawlError, match=r"^tower_up: the process that compiles it has died$"):
        _receive(ours, ("tower_up", ""))


def test_an_error_of_a_job_arrives_in_its_words_and_the_process_goes_on():
    with pytest.raises(UnknownName) as expected:
        rules_of("chess")
    ours, theirs = Pipe()
    thread = Thread(target=_serve, args=(theirs,))
    thread.start()
    try:
        for _ in range(2):
            ours.send(("chess", ""))
            assert ours.poll(10)
            with pytest.raises(SprawlError) as error:
                _receive(ours, ("chess", ""))
            assert str(error.value) == str(expected.value)
        assert thread.is_alive()
    finally:
        ours.close()
        thread.join(10)
    assert not thread.is_alive()  # it ends with its parent
