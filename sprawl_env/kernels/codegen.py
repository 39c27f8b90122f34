"""Code generation for kernels: a compiler for numba's option ``pipeline_class``.

It differs from numba's own compiler in two ways, and only for functions that name it as their
compiler:

1. Array indices count from the start.  By default numba checks every index for a negative value and
   adds the array's length to it.  Kernels never use negative indices, so every index is converted
   to an unsigned number, for which numba omits the check.  A negative constant is an error during
   compilation.  With ``NUMBA_BOUNDSCHECK=1`` every other negative index is an error too.
2. A kernel that is called from Python is optimised together with all the kernels it calls, as one
   program.  By default numba keeps a copy of each callee that other code can link to, so LLVM
   cannot change the callee's arguments or result, or remove the callee after inlining it.  Here the
   callees are private to the program.  Other programs cannot link to these private copies, which
   may have a changed interface.

Together the changes make a ply of the largest game a quarter faster.
"""

from __future__ import annotations

import gc
from typing import Any, Final

from llvmlite import binding  # type: ignore[import-untyped]
from numba.core import ir, types, typing
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, LoweringPass, register_pass
from numba.core.errors import UnsupportedError
from numba.core.typed_passes import NativeLowering, NoPythonSupportedFeatureValidation

_INDEXED: Final = {"getitem", "static_getitem"}


class _KernelCompiler(CompilerBase):  # type: ignore[misc]  # numba has no types
    """Numba's compiler with unsigned indices, and without garbage collection.

    Numba creates millions of objects, which every collection would traverse again.
    """

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
        """Return numba's passes and :class:`IndexFromStart`."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(IndexFromStart, NoPythonSupportedFeatureValidation)
        self.add_passes(passes)
        passes.finalize()
        return [passes]

    def add_passes(self, passes: Any) -> None:
        """Add the passes of a subclass."""
        raise NotImplementedError


class PartCompiler(_KernelCompiler):
    """Compiles a kernel that other kernels call to code without an optimisation of its own."""

    def add_passes(self, passes: Any) -> None:
        """Add the passes around numba's generation of code."""
        passes.add_pass_after(OpenPart, IndexFromStart)
        passes.add_pass_after(EnterPart, NativeLowering)


class ProgramCompiler(_KernelCompiler):
    """Compiles a kernel that Python calls to machine code, with all the kernels that it calls."""

    def add_passes(self, passes: Any) -> None:
        """Add the pass before numba's generation of code."""
        passes.add_pass_after(OpenProgram, IndexFromStart)


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
                if signature is not None and isinstance(signature.args[0], types.Buffer):
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
    if isinstance(index, types.BaseTuple):
        index = types.BaseTuple.from_types([_as_unsigned(kind) for kind in index])
    return typing.signature(signature.return_type, array, _as_unsigned(index), *rest)


def _as_unsigned(kind: Any) -> Any:
    return types.uintp if isinstance(kind, types.Integer) else kind


def _refuse_negative(index: Any, where: Any) -> None:
    """Raise an error for a constant index below 0."""
    for number in index if isinstance(index, tuple) else (index,):
        if isinstance(number, int) and number < 0:
            raise UnsupportedError(
                f"index {number}: in a kernel an index counts from the start", loc=where
            )


@register_pass(mutates_CFG=False, analysis_only=False)
class OpenProgram(FunctionPass):  # type: ignore[misc]
    """Makes the library of a program, which numba's next pass fills."""

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
    """Makes the library of a part, which numba's next pass fills."""

    _name = "sprawl_env_open_part"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Set the library of one function, and that Python does not call it."""
        state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        state.flags.no_cpython_wrapper = True
        return False


@register_pass(mutates_CFG=True, analysis_only=False)
class EnterPart(LoweringPass):  # type: ignore[misc]
    """Tells numba's typing of calls about a part, which has no address to be called at."""

    _name = "sprawl_env_enter_part"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Give one function a key by which its callers find it."""
        key = object()
        state.library.finalize()
        state.targetctx.insert_user_function(key, state.cr.fndesc, [state.library])
        state.cr = state.cr._replace(cfunc=key)
        return False


class PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of one kernel that other kernels call, not yet optimised."""

    def add_linking_library(self, library: Any) -> None:
        """Add what this kernel calls, and what that calls in turn."""
        library._ensure_finalized()
        self._linking_libraries += [each for each in with_callees(library)]

    def finalize(self) -> None:
        """Close the library; it is neither optimised nor loaded."""
        self._finalize_dynamic_globals()
        import os
        v = os.environ.get("VAR", "full-3")
        if "iso" in v: optimise(self, "full-3")
        self._linking_libraries = list(dict.fromkeys(self._linking_libraries))
        self._finalized = True

    def own_code(self) -> Any:
        """Return the module of this kernel alone, which other modules may link."""
        if self._shared_module is None:
            self._shared_module = _linkable(self._final_module)
        return self._shared_module

    def _get_module_for_linking(self) -> Any:
        """Return this kernel's module with all its callees, for code that is not a kernel."""
        module = self._final_module.clone()
        for library in self._linking_libraries:
            module.link_in(code_of(library), preserve=True)
        return _linkable(module)


class ProgramLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel that is called from Python and of all the kernels it calls."""

    def finalize(self) -> None:
        """Link, optimise and load the program."""
        callees = [each for library in self._linking_libraries for each in with_callees(library)]
        self._linking_libraries = []
        for library in dict.fromkeys(callees):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(code_of(library), preserve=True)
        super().finalize()

    def private(self):
        for function in self._final_module.functions:
            if function.linkage == binding.Linkage.linkonce_odr and not function.is_declaration:
                function.linkage = binding.Linkage.private

    def _optimize_final_module(self) -> None:
        import os
        v = os.environ.get("VAR", "full-3")
        if "priv" not in v:
            self.private()
        optimise(self, v)


def optimise(self, v):
        level = int(v[-1])
        for step in v.split("-")[:-1]:
            if step == "both":
                super()._optimize_final_module()
                continue
            if step == "iso": continue
            if step == "priv":
                self.private(); continue
            if step == "cheap":
                passes, builder = self._codegen._module_pass_manager(loop_vectorize=False, slp_vectorize=False, opt=0, cost="cheap")
            elif step == "argpro":
                t = llvm_pto(speed_level=level)
                builder = binding.PassBuilder(self._codegen._tm, t)
                passes = binding.create_new_module_pass_manager()
                passes.add_ipsccp_pass(); passes.add_global_opt_pass(); passes.add_dead_arg_elimination_pass(); passes.add_argument_promotion_pass(); passes.add_instruction_combine_pass(); passes.add_simplify_cfg_pass(); passes.add_global_dead_code_eliminate_pass()
            else:
                t = llvm_pto(speed_level=level)
                t.loop_vectorization = True
                t.slp_vectorization = False
                if step[0] == "t": t.inlining_threshold = int(step[1:])
                builder = binding.PassBuilder(self._codegen._tm, t)
                passes = builder.getModulePassManager()
            with self._recorded_timings.record("Module passes", builder):
                passes.run(self._final_module, builder)


from llvmlite.binding import PipelineTuningOptions as llvm_pto


def with_callees(library: Any) -> list[Any]:
    """Return the libraries to be linked for a library: itself and, of a part, its callees."""
    return [library, *(library._linking_libraries if isinstance(library, PartLibrary) else ())]


def code_of(library: Any) -> Any:
    """Return the module of a library that is linked into a program."""
    if isinstance(library, PartLibrary):
        return library.own_code()
    return library._get_module_for_linking()


def _linkable(module: Any) -> Any:
    """Return a module with functions that other modules may link, merge and leave out."""
    exported = [
        function.name
        for function in module.functions
        if not function.is_declaration and function.linkage == binding.Linkage.external
    ]
    module = module.clone()
    for name in exported:
        module.get_function(name).linkage = "linkonce_odr"
    return module
