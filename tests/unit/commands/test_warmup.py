"""commands/warmup.py: what the processes that compile say of errors."""

from multiprocessing import Pipe
from threading import Thread

import pytest

from sprawl_env.bots import names
from sprawl_env.commands import warmup
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


def test_all_bots_are_compiled_and_networks_where_a_game_has_them():
    kinds = {name.partition(":")[0].partition("[")[0] for name in names.BOTS}
    others = {"flat", "checkpoint", "module", "torch", "sb3"}  # without own kernels
    assert kinds - others == {bot.partition(":")[0] for bot in warmup.bots_of("tower_up")}
    assert set(names.HELD_OUT) == set(warmup.HELD_OUT) < set(warmup.bots_of("tower_up"))
    assert set(warmup.NETWORKS) < set(warmup.bots_of("tower_up"))
    assert warmup.bots_of("examples.lots:RULES") == warmup.BOTS
    for bot in warmup.BOTS:  # it has no others
        warmup.compile_bot("examples.lots:RULES", bot, lambda _: None)
