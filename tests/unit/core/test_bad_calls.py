"""Bad calls in child processes: each is one line of the package's own, and no process dies."""

import pytest

from tests.commands import ROOT, command, finish

SECONDS = 240  # a cold cache compiles first


def refused(*arguments, least):
    """Run a group of bad calls; check that each is refused, and return the lines."""
    out, _ = finish(command("tests.bad_calls", *arguments, cwd=ROOT), seconds=SECONDS)
    lines = out.splitlines()
    assert [line for line in lines if " | ok " not in line or "\\n" in line] == []
    assert len(lines) >= least
    return lines


@pytest.mark.parametrize("game", ["tower_up", "ginkgopolis"])
def test_wrong_arrays_are_refused_before_a_kernel_sees_them(game):
    refused("arrays", game, least=250)


def test_wrong_numbers_are_refused_by_every_method_of_a_game():
    refused("numbers", "tower_up", least=250)


def test_a_batch_refuses_wrong_calls_and_edited_masks():
    refused("batches", least=100)


def test_environments_refuse_wrong_calls_and_edited_masks():
    refused("environments", least=150)


def test_learners_and_matches_refuse_wrong_calls_and_edited_masks():
    refused("learners", least=100)
