"""Fuzzes the C files under sanitizers of addresses and undefined behavior: damaged traces (scan), spans (passes).

    python -m tests.fuzz                     one minute, with $CC or the first of clang, gcc, cc
    python -m tests.fuzz --only passes       one of the two
    python -m tests.fuzz --seconds 600 --traces 'logs/**/*.json'
    CC=clang python -m tests.fuzz --guided   libFuzzer, which looks for inputs that reach new code

Seeds are generated traces and the beginnings of --traces. Exit status 0: nothing found. Findings of libFuzzer are left
in the directory of --keep.
"""

from __future__ import annotations

import argparse
import glob
import gzip
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.build import TraceBuilder

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "tb_perfcompare"
PROGRAMS = {"scan": PACKAGE / "sources" / "native", "passes": PACKAGE / "analysis" / "native"}
"""Fuzzing program -> folder of its C files."""

FLAGS = ("-std=c99", "-g", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all")
_MOST_SEED_BYTES = 16 << 10
_ODD = (
    b'{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":"1","ts":1712195495519689.0471,"dur":1.5e3,"args":{"stream":"7",'
    b'"a":"0.5","blocks per SM":-0.0,"Input Dims":[[1, 2],[]],"grid":{"x":[null,true]}}},\n'
    b'{"ph":"s","cat":"fwdbwd","id":"3","ts":1,"pid":1,"tid":2},{"ph":"f","cat":"async_npu","id":4,"ts":"2.5","pid":1,'
    b'"tid":2},{"ph":"M","name":"process_name","args":{"name":"x"}},{"ph":"C","name":"load","ts":1,"args":{"x":1}},'
    b'{"ph":"i","name":"[memory]","cat":3,"pid":[],"tid":null,"ts":9223372036854775.8071,"args":{"stream":1,"stream":2}},'
    b'{"ph":"X","name":"\\ud83d\\ude00\\u00e9 \xc3\xa9","ts":1,"dur":-1,"args":null},7,"text"]'
)


def compiler() -> str:
    """The compiler to use, "" if there is none."""
    names = [os.environ.get("CC", ""), "clang", "gcc", "cc"]
    return next((found for name in names if name and (found := shutil.which(name.split()[0]))), "")


def build(compiler: str, into: Path, *, guided: bool, name: str = "scan", level: str = "-O1") -> Path:
    """Compile a program. At level -O0 it is built three times as fast, and runs more slowly. Raises CalledProcessError
    with the messages of the compiler."""
    program = into / f"{name}_fuzz"
    sanitizers = "fuzzer,address,undefined" if guided else "address,undefined"
    flags = [*FLAGS, level, f"-I{PROGRAMS[name]}", f"-fsanitize={sanitizers}", *(["-DHAS_LIBFUZZER"] if guided else [])]
    command = [compiler, *flags, str(HERE / f"{name}_fuzz.c"), "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return program


def write_seeds(folder: Path, traces: Iterable[str] = ()) -> list[Path]:
    """Files with elements of traceEvents, without the opening bracket."""
    deep = b"[" * 62 + b"]" * 62
    seeds = [_ODD, b'{"ph":"X","name":"n","ts":1,"dur":1,"args":{"grid":[' + deep + b'],"grid":{"a":' + deep + b"}}}]"]
    for spelling in ("2021", "2022"):
        trace = TraceBuilder(spelling=spelling)
        for start in range(0, 200, 40):
            trace.op("aten::mm", start, start + 30)
            trace.kernel("gemm", start + 20, start + 30, launch=(start + 5, start + 10))
        seeds.append(_elements(trace.encode()))
    for path in traces:
        data = Path(path).read_bytes()
        seeds.append(_elements(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data))
    paths = [folder / f"seed{number}" for number in range(len(seeds))]
    for file, seed in zip(paths, seeds, strict=True):
        file.write_bytes(seed[:_MOST_SEED_BYTES])
    return paths


def _elements(trace: bytes) -> bytes:
    return trace[trace.index(b"[", trace.find(b'"traceEvents"')) + 1 :].lstrip()


def run(program: Path, seeds: list[Path], seconds: int) -> subprocess.CompletedProcess[str]:
    """Run the mutating program."""
    return subprocess.run([str(program), str(seconds), *map(str, seeds)], capture_output=True, text=True, check=False)


def run_guided(program: Path, seeds: list[Path], seconds: int, keep: Path) -> int:
    """Run libFuzzer; each seed begins with three bytes of options."""
    corpus = keep / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    drawn = random.Random(1)
    for number, seed in enumerate(seeds):
        for options in range(4):
            (corpus / f"{number}.{options}").write_bytes(bytes([options]) + drawn.randbytes(2) + seed.read_bytes())
    limits = [f"-max_total_time={seconds}", "-max_len=8192", "-timeout=10", "-print_final_stats=1"]
    return subprocess.run([str(program), *limits, f"-artifact_prefix={keep}/", str(corpus)], check=False).returncode


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--traces", default="", help="a pattern of trace files to begin with")
    parser.add_argument("--guided", action="store_true", help="with libFuzzer, which clang has")
    parser.add_argument("--only", choices=sorted(PROGRAMS), help="one program; by default all share the time")
    parser.add_argument("--keep", type=Path, default=Path("fuzz_findings"), help="directory for name libFuzzer finds")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        seeds = write_seeds(Path(folder), sorted(glob.glob(chosen.traces, recursive=True)))
        inputs = {"scan": seeds, "passes": []}
        programs = [chosen.only] if chosen.only else ["scan"] if chosen.guided else list(PROGRAMS)
        for name in programs:
            try:
                program = build(compiler(), Path(folder), guided=chosen.guided, name=name)
            except (subprocess.CalledProcessError, OSError) as error:
                print(getattr(error, "stderr", "") or error, file=sys.stderr)
                return 2
            if chosen.guided:
                return run_guided(program, seeds, chosen.seconds, chosen.keep)
            done = run(program, inputs[name], -(-chosen.seconds // len(programs)))
            print(f"{name}: ", done.stdout, done.stderr, sep="", end="", flush=True)
            if done.returncode:
                return done.returncode
        return 0


if __name__ == "__main__":
    sys.exit(main())
