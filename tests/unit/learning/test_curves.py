"""Learning curves are read as training wrote them."""

import pytest

pytest.importorskip("tensorboard")
pytest.importorskip("torch")

from torch.utils.tensorboard import SummaryWriter

from sprawl_env.core.errors import InvalidOption
from sprawl_env.learning.curves import learning_curves


def test_points_are_those_that_training_logged_in_order(tmp_path):
    log = SummaryWriter(str(tmp_path / "run" / "tensorboard"))
    for step, wins in ((100, 0.25), (200, 0.5), (300, 0.75)):
        log.add_scalar("wins/greedy", wins, step)
        if step > 100:
            log.add_scalar("train/entropy", 2.0 - wins, step)
    log.close()
    found = learning_curves(tmp_path / "run")
    assert [(p.curve, p.step, p.value) for p in found] == [
        ("train/entropy", 200, 1.5),
        ("train/entropy", 300, 1.25),
        ("wins/greedy", 100, 0.25),
        ("wins/greedy", 200, 0.5),
        ("wins/greedy", 300, 0.75),
    ]
    assert min(p.seconds for p in found) == 0
    assert all(p.seconds >= 0 for p in found)


@pytest.mark.parametrize("folder", [".", "tensorboard", "none"])
def test_a_folder_without_curves_is_refused_in_one_line(tmp_path, folder):
    (tmp_path / "tensorboard").mkdir()
    with pytest.raises(InvalidOption, match="expected a run's folder with learning curves"):
        learning_curves(tmp_path / folder)
