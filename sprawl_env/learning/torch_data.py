"""Datasets for torch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.utils.data import IterableDataset, get_worker_info

if TYPE_CHECKING:
    from sprawl_env.learning.datasets import Dataset


class TorchDecisions(IterableDataset[dict[str, Tensor]]):
    """The batches of a dataset as dictionaries of tensors, by the names of the columns.

    ``observations`` are float32, multiplied by their scales, ``masks`` bool, ``returns`` float32,
    all others int64.  In a ``DataLoader`` use ``batch_size=None``; its workers share the shards.
    :meth:`Dataset.torch` makes one.
    """

    def __init__(self, dataset: Dataset, batch_size: int, seed: int | None) -> None:
        self._dataset = dataset
        self._batch_size = batch_size
        self._seed = seed

    def __iter__(self) -> Iterator[dict[str, Tensor]]:
        """Yield the batches."""
        worker = get_worker_info()
        part, num_parts = (0, 1) if worker is None else (worker.id, worker.num_workers)
        scales = torch.from_numpy(self._dataset.scales)
        for found in self._dataset.batches(
            self._batch_size, seed=self._seed, part=part, num_parts=num_parts
        ):
            columns = {name: torch.from_numpy(c) for name, c in found._asdict().items()}
            yield {
                **{
                    name: c if name == "returns" else c.long()
                    for name, c in columns.items()
                    if name not in {"observations", "masks"}
                },
                "observations": columns["observations"] * scales,
                "masks": columns["masks"].bool(),
            }
