"""Learning curves of a training run, read from its TensorBoard files.

Example::

    from sprawl_env.learning.curves import learning_curves

    polars.DataFrame(learning_curves(Path("runs/tower_up-quick-0")))
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sprawl_env.core.arguments import checked
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.extras import require

_events: Any = require(
    "tensorboard.backend.event_processing.event_accumulator", "sprawl_env.learning.curves"
)
EVERYTHING: Final = {"scalars": 0}  # 0: read all points, not a sample


@dataclass(frozen=True)
class Point:
    """One point of a learning curve.

    Attributes:
        curve: name in TensorBoard, e.g. ``train/entropy`` or ``wins/greedy`` (share of the last
            few hundred games against ``greedy`` that the learner won).
        step: number of decisions learned from.
        seconds: time since the first point of any curve of the run.
        value: the logged value.
    """

    curve: str
    step: int
    seconds: float
    value: float


@checked
def learning_curves(run: Path) -> list[Point]:
    """Return all points of all curves of a run, sorted by curve and step.

    Args:
        run: the run's folder.

    Raises:
        InvalidOption: the folder holds no learning curves.
    """
    folder = run / "tensorboard"
    events = _events.EventAccumulator(str(folder), EVERYTHING)
    if folder.is_dir():
        events.Reload()
    found = [(name, event) for name in events.Tags()["scalars"] for event in events.Scalars(name)]
    if not found:
        raise InvalidOption(f"run {str(run)!r}: expected a run's folder with learning curves")
    start = min(event.wall_time for _, event in found)
    points = [
        Point(name, int(event.step), event.wall_time - start, float(event.value))
        for name, event in found
    ]
    return sorted(points, key=lambda point: (point.curve, point.step))
