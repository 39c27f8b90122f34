"""Datasets for torch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.utils.data import IterableDataset, get_worker_info

from sprawl_env.kernels.arrays import Floats
from sprawl_env.learning.datasets import columns_of

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
        scales = self._dataset.scales
        for found in self._dataset.batches(
            self._batch_size, seed=self._seed, part=part, num_parts=num_parts
        ):
            yield {
                name: _tensor(name, column, scales) for name, column in columns_of(found).items()
            }


def _tensor(name: str, column: npt.NDArray[Any], scales: Floats) -> Tensor:
    """Return a column as a tensor of the type that learners use."""
    if name == "observations":  # numpy does this several times faster than torch
        return torch.from_numpy(column * scales)
    if name == "masks":
        return torch.from_numpy(column.view(np.bool_))
    return torch.from_numpy(column if name == "returns" else column.astype(np.int64))
