"""Train a policy by expert iteration: it learns what a search with its network finds.

python -m experiments.train_search --start tower_up/ppo-1h            # 2 hours on 2 cores
python -m experiments.train_search --game ginkgopolis --max-minutes 30
python -m experiments.train_search --resume runs/tower_up-search-0
"""

from __future__ import annotations

from collections.abc import Sequence

from sprawl_env.console import run
from sprawl_env.core.extras import require_extra
from sprawl_env.learning.expert_config import EXPERT_PRESETS as PRESETS
from sprawl_env.learning.expert_config import ExpertConfig as Config
from sprawl_env.learning.expert_config import read_config
from sprawl_env.learning.runs import check_kept


def _train(config: Config) -> None:
    require_extra("train", "train_search")
    if config.resume is not None:
        check_kept(config.resume, vars(config), read_config(config.resume))
    from sprawl_env.learning.expert_training import main as train  # noqa: PLC0415 - imports torch

    train(config)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line, by default that of this process."""
    run(
        _train,
        Config,
        PRESETS,
        resumed=read_config,
        arguments=arguments,
        prog="python -m experiments.train_search",
    )


if __name__ == "__main__":
    main()
