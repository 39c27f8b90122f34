"""The machine code of kernels: parts, which kernels call, and programs, which Python calls.

Numba compiles a kernel with all the kernels it calls, and then again with each caller: a kernel is
optimised once for each of its direct and indirect callers.  Here a kernel that others call is a
part: it is optimised once, alone, and is not turned into machine code.  A kernel that Python calls
is a program: it is linked with all its parts and optimised once as a whole.  The parts are private
to the program, so LLVM can change their arguments or results and remove them after inlining.
Other programs link the parts again, not these private copies.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

from llvmlite import binding  # type: ignore[import-untyped]
from numba.core.codegen import JITCodeLibrary
from numba.core.errors import UnsupportedError

from sprawl_env.kernels.checked_files import read_named, write_named

_LEVEL: Final = 3  # of LLVM's optimisation; 2 compiles a little faster to slightly slower code
_IN_A_CIRCLE: Final = "numba.unresolved"  # in the name of a reference to an unfinished kernel


class ProgramLibrary(JITCodeLibrary):  # type: ignore[misc]  # numba has no types
    """The code of a kernel that Python calls, and of all the kernels it calls."""

    _linking_libraries: list[Any]

    def finalize(self) -> None:
        """Link the parts, optimise the program and turn it into machine code."""
        for library in _with_callees(self._linking_libraries):
            self._final_module.link_in(_code_of(library), preserve=True)
        self._linking_libraries = []
        if any(_IN_A_CIRCLE in name.name for name in self._final_module.global_variables):
            raise UnsupportedError(f"{self.name}: calls kernels that call each other in a circle")
        super().finalize()

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if function.linkage == binding.Linkage.linkonce_odr and not function.is_declaration:
                function.linkage = binding.Linkage.private
        _optimize(self, self._final_module)


class PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of one kernel that other kernels call; Python cannot call it."""

    _linking_libraries: list[Any]

    def finalize(self) -> None:
        """Optimise the kernel alone."""
        self._finalize_dynamic_globals()
        _optimize(self, self._final_module)
        self._linking_libraries = _with_callees(self._linking_libraries)
        self._shared_module = _linkable(self._final_module)
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Return the code of this kernel and its callees, for code that is not a kernel."""
        module = self._shared_module.clone()
        for library in self._linking_libraries:
            module.link_in(_code_of(library), preserve=True)
        return module

    def save(self, folder: Path) -> tuple[str, ...]:
        """Write the code of this kernel and of its callees; return the names of the files."""
        return tuple(_write(folder, each) for each in (self, *self._linking_libraries))

    @classmethod
    def load(cls, codegen: Any, name: str, folder: Path, files: Iterable[str]) -> PartLibrary:
        """Return a part from the files of :meth:`save`."""
        own, *callees = (_read(cls, codegen, folder / file) for file in files)
        library = cls(codegen, name)
        library._shared_module = own._shared_module
        library._linking_libraries = callees
        library._finalized = True
        return library


_loaded: Final[dict[str, PartLibrary]] = {}  # so that a callee of many parts is linked once
_names: Final[WeakKeyDictionary[Any, str]] = WeakKeyDictionary()  # of the files of libraries
_intact: Final[set[Path]] = set()  # files that this process has written, or read and checked


def _write(folder: Path, library: Any) -> str:
    """Write the code of a library to a file named by its content; return its name.

    An existing file is kept only if this process knows that it is intact.
    """
    file = folder / _names.get(library, "")
    if library not in _names or file not in _intact or not file.exists():
        _names[library] = write_named(folder, _code_of(library).as_bitcode(), ".bc")
        _intact.add(folder / _names[library])
    return _names[library]


def _read(kind: type[PartLibrary], codegen: Any, file: Path) -> PartLibrary:
    """Return the code in a file of :func:`_write`, without callees.

    Raises:
        OSError: the file is damaged or cannot be read.
    """
    if file.name not in _loaded:
        code = read_named(file)
        library = kind(codegen, file.stem)
        library._shared_module = binding.parse_bitcode(code)
        library._finalized = True
        _names[library] = file.name
        _intact.add(file)
        _loaded[file.name] = library
    return _loaded[file.name]


def _with_callees(libraries: Iterable[Any]) -> list[Any]:
    """Return libraries and the callees of those that are parts, each once, after all its callers.

    LLVM leaves out a part to which nothing that was linked before refers.
    """
    found: dict[Any, None] = {}
    for library in libraries:
        library._ensure_finalized()
        callees = library._linking_libraries if isinstance(library, PartLibrary) else ()
        for each in (library, *callees):
            found.pop(each, None)
            found[each] = None
    return list(found)


def _code_of(library: Any) -> Any:
    """Return the module that is linked for a library: a part's own, or all of another library."""
    if isinstance(library, PartLibrary):
        return library._shared_module
    return library._get_module_for_linking()


def _linkable(module: Any) -> Any:
    """Return a module whose functions other modules may link, merge and leave out."""
    module = module.clone()
    for function in module.functions:
        if function.linkage == binding.Linkage.external and not function.is_declaration:
            function.linkage = binding.Linkage.linkonce_odr
    return module


def _optimize(library: Any, module: Any) -> None:
    """Optimise a module.

    Numba first runs a cheap pass and one that removes reference counts; kernels have none.
    """
    passes, builder = library._codegen._module_pass_manager(opt=_LEVEL)
    with library._recorded_timings.record("Module passes", builder):
        passes.run(module, builder)
