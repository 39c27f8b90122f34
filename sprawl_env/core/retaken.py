"""Objects whose copies take their kernels from their games again, also in other processes."""

from __future__ import annotations

from typing import Any


class RetakesKernels:
    """An object with kernels as attributes, which a copy takes from its game again.

    If the kernels were pickled, another process would compile them again.  Those that a game or a
    factory returns are loaded from the disk.
    """

    def _kernels_of_game(self) -> dict[str, Any]:
        """Return the kernels by the names of their attributes; cheap, and the same each time."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes without the kernels."""
        kernels = self._kernels_of_game()
        return {
            name: value
            for name, value in vars(self).items()
            if name not in kernels or value is not kernels[name]
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Set the attributes, and take the kernels."""
        vars(self).update(state)
        for name, taken in self._kernels_of_game().items():
            vars(self).setdefault(name, taken)
