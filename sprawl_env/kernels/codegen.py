"""Two compilers of kernels, for numba's option ``pipeline_class``.

They are numba's own compiler with changes that affect only the functions that name them:

1. Array indices count from the start.  By default numba checks every index for a negative value and
   adds the array's length to it.  Kernels never use negative indices, so every index is converted
   to an unsigned number, for which numba omits the check.  A negative constant is an error during
   compilation.  With ``NUMBA_BOUNDSCHECK=1`` every other negative index is an error too.
2. A kernel that is called from Python is optimised together with all the kernels it calls, as one
   program (see :mod:`sprawl_env.kernels.libraries`).
3. Garbage collection is disabled during compilation: numba creates millions of objects, which every
   collection would traverse again.
"""

from __future__ import annotations

import gc
from typing import Any, Final

from numba.core import ir, typing
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, LoweringPass, register_pass
from numba.core.errors import UnsupportedError
from numba.core.typed_passes import NativeLowering, NoPythonSupportedFeatureValidation
from numba.core.types import Integer, uintp
from numba.core.types.common import Buffer
from numba.core.types.containers import BaseTuple

from sprawl_env.kernels.libraries import PartLibrary, ProgramLibrary

_INDEXED: Final = {"getitem", "static_getitem"}


class ProgramCompiler(CompilerBase):  # type: ignore[misc]  # numba has no types
    """Compiles a kernel that Python calls, with all the kernels that it calls."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a function; numba's global lock is held."""
        collects = gc.isenabled()
        gc.disable()
        try:
            return super().compile_extra(func)
        finally:
            if collects:
                gc.enable()

    def define_pipelines(self) -> list[Any]:
        """Return numba's passes and those of this module."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(IndexFromStart, NoPythonSupportedFeatureValidation)
        passes.add_pass_after(OpenProgram, IndexFromStart)
        passes.finalize()
        return [passes]


class PartCompiler(ProgramCompiler):
    """Compiles a kernel that other kernels call, to code that their programs link."""

    def define_pipelines(self) -> list[Any]:
        """Return numba's passes and those of this module."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(IndexFromStart, NoPythonSupportedFeatureValidation)
        passes.add_pass_after(OpenPart, IndexFromStart)
        passes.add_pass_after(ClosePart, NativeLowering)
        passes.finalize()
        return [passes]


@register_pass(mutates_CFG=False, analysis_only=False)
class IndexFromStart(FunctionPass):  # type: ignore[misc]
    """Converts the indices of arrays to unsigned numbers."""

    _name = "sprawl_env_index_from_start"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Change the types to which the indices of one function are converted."""
        for block in state.func_ir.blocks.values():
            for statement in block.body:
                found = _array_access(statement)
                signature = state.calltypes.get(found)
                if signature is not None and isinstance(signature.args[0], Buffer):
                    _refuse_negative(found.index, found.loc)
                    del state.calltypes[found]  # an entry cannot be overwritten
                    state.calltypes[found] = _unsigned(signature)
        return True


def _array_access(statement: Any) -> Any:
    """Return the statement or its expression if it reads or writes an element; otherwise None."""
    if isinstance(statement, ir.SetItem | ir.StaticSetItem):
        return statement
    value = statement.value if isinstance(statement, ir.Assign) else None
    return value if isinstance(value, ir.Expr) and value.op in _INDEXED else None


def _unsigned(signature: Any) -> Any:
    """Return a signature with an unsigned index, or a tuple of unsigned indices."""
    array, index, *rest = signature.args
    if isinstance(index, BaseTuple):
        index = BaseTuple.from_types([_as_unsigned(kind) for kind in index])
    return typing.signature(signature.return_type, array, _as_unsigned(index), *rest)


def _as_unsigned(kind: Any) -> Any:
    return uintp if isinstance(kind, Integer) else kind


def _refuse_negative(index: Any, where: Any) -> None:
    """Raise an error for a constant index below 0."""
    for number in index if isinstance(index, tuple) else (index,):
        if isinstance(number, int) and number < 0:
            raise UnsupportedError(
                f"index {number}: in a kernel an index counts from the start", loc=where
            )


@register_pass(mutates_CFG=False, analysis_only=False)
class OpenProgram(FunctionPass):  # type: ignore[misc]
    """Creates the library of a program, which numba's next pass fills."""

    _name = "sprawl_env_open_program"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Set the library of one function."""
        state.library = ProgramLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return False


@register_pass(mutates_CFG=False, analysis_only=False)
class OpenPart(FunctionPass):  # type: ignore[misc]
    """Creates the library of a part, which numba's next pass fills."""

    _name = "sprawl_env_open_part"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Set the library of one function; nothing is generated for calls from Python."""
        state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        state.flags.no_cpython_wrapper = True
        return False


@register_pass(mutates_CFG=True, analysis_only=False)
class ClosePart(LoweringPass):  # type: ignore[misc]
    """Finishes the library of a part and makes it known to numba."""

    _name = "sprawl_env_close_part"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Replace the address of one function, by which numba finds callees, by a unique object."""
        state.library.finalize()
        key = object()
        state.targetctx.insert_user_function(key, state.cr.fndesc, [state.library])
        state.cr = state.cr._replace(cfunc=key)
        return True
