"""Runs a script or module as Python itself would, with a recorder that waits for torch."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence
from functools import partial
from types import CodeType, ModuleType, TracebackType
from zipfile import is_zipfile

from tb_perfcompare.capture.after_import import after_import
from tb_perfcompare.capture.options import Program, parse
from tb_perfcompare.capture.recorder import Recorder
from tb_perfcompare.capture.step_marks import MARK_NAME, decorated, marking


def main(argv: Sequence[str]) -> None:
    """Runs the program; ends with the program's exit status or exception."""
    options, program = parse(argv)
    recorder = Recorder(options)
    module, _, function = options.step.partition(":")
    own = function if module == "__main__" else ""
    if own and program.is_module:
        raise SystemExit("tb_perfcompare.capture: with -m, name the function by its module instead of __main__")
    after_import("torch", recorder.torch_imported)
    if not own:
        recorder.watch()
    _hide_from_tracebacks()
    if program.is_module:
        run = partial(_run_module, program)
    elif os.path.isdir(program.name) or is_zipfile(program.name):
        run = partial(_run_package, program)
    else:
        run = _script(program, own, recorder)
    try:
        run()
    finally:
        recorder.finish()


def _hide_from_tracebacks() -> None:
    """Removes the launcher's frames from tracebacks, so that they begin with the program's own."""
    show, here = sys.excepthook, os.path.dirname(__file__)

    def shown(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        while trace is not None and os.path.dirname(trace.tb_frame.f_code.co_filename) == here:
            trace = trace.tb_next
        show(kind, error.with_traceback(trace), trace)

    sys.excepthook = shown


def _run_module(program: Program) -> None:
    sys.argv = [program.name, *program.arguments]
    _prepend_to_path(os.getcwd())
    runpy.run_module(program.name, run_name="__main__", alter_sys=True)


def _run_package(program: Program) -> None:
    """Runs a directory or zip archive that contains `__main__.py`."""
    sys.argv = [program.name, *program.arguments]
    place = os.path.abspath(program.name)
    _prepend_to_path(place)
    runpy.run_path(place, run_name="__main__")


def _script(program: Program, own_function: str, recorder: Recorder) -> partial[None]:
    """Returns what runs the script. Raises SystemExit if it cannot be read or lacks its own function."""
    try:
        with open(program.name, "rb") as file:
            source = file.read()
    except OSError as error:
        raise SystemExit(f"tb_perfcompare.capture: {program.name}: {error.strerror}") from None
    main_module = ModuleType("__main__")
    main_module.__file__ = os.path.abspath(program.name)
    main_module.__dict__["__builtins__"] = __builtins__
    if own_function:
        main_module.__dict__[MARK_NAME] = marking(recorder.mark)
    sys.modules["__main__"] = main_module  # where pickle and multiprocessing look
    sys.argv = [program.name, *program.arguments]
    _prepend_to_path(os.path.dirname(main_module.__file__))
    return partial(exec, _compiled(source, main_module.__file__, own_function), main_module.__dict__)


def _compiled(source: bytes, name: str, own_function: str) -> CodeType:
    if not own_function:
        return compile(source, name, "exec", dont_inherit=True)
    try:
        return compile(decorated(source, name, own_function), name, "exec", dont_inherit=True)
    except LookupError:
        raise SystemExit(f"tb_perfcompare.capture: {os.path.basename(name)} has no function {own_function}") from None


def _prepend_to_path(directory: str) -> None:
    """Makes the directory the first in the module search path, unless the interpreter runs with -P."""
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = directory
