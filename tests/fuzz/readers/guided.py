"""A target guided by coverage: atheris in another process, which writes a report every second.

    python -m tests.fuzz.readers.guided TARGET SECONDS SEED REPORT CORPUS
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.readers.table import Row

_COVERED = re.compile(r"cov: (\d+) ft: (\d+)")
_INSTRUMENTED = ("tb_perfcompare.sources", "tb_perfcompare.plugin", "tb_perfcompare.model", "tb_perfcompare.analysis",
                 "tb_perfcompare.comparison", "tb_perfcompare.render", "tb_perfcompare.workspace")  # fmt: skip
_REPOSITORY = Path(__file__).resolve().parents[3]
_MOST_MB = 4096
_SLOWEST_S = 60
_STARTING_S = 120


def run(name: str, seconds: float, seed: int, folder: Path) -> Row:
    """Run the target, starting with its corpus; findings are written to the folder."""
    with tempfile.TemporaryDirectory(prefix=f"guided-{name}-") as scratch:
        report = Path(scratch) / "report.json"
        corpus = folder / "corpus"
        corpus.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "tests.fuzz.readers.guided", name, str(seconds), str(seed), str(report)]
        log = Path(scratch) / "log.txt"
        with log.open("w") as out:
            started = subprocess.Popen([*command, str(corpus)], cwd=_REPOSITORY, stdout=out, stderr=out)
            try:
                started.wait(2 * seconds + _STARTING_S)
            except subprocess.TimeoutExpired:
                started.kill()
                started.wait()
        text = log.read_text("utf-8", "replace")
        if not report.exists():
            raise SystemExit(f"{name}: no input was run\n{text[-3000:]}")
        report_ = json.loads(report.read_text("utf-8"))
        covered = _COVERED.findall(text)
        failures = list(report_["failures"])
        if started.returncode and seconds - report_["seconds"] > _STARTING_S:
            failures.append(f"stopped after {report_['seconds']:.0f} s: {text[-1500:]}")
    return Row(name, report_["inputs"], report_["read"], report_["refused"], report_["seconds"], report_["slowest_s"],
               int(covered[-1][0]) if covered else None, failures)  # fmt: skip


def main(name: str, seconds: float, seed: int, report: Path, corpus: Path) -> None:
    """Fuzz; atheris ends the process."""
    import atheris

    with atheris.instrument_imports(include=list(_INSTRUMENTED)):
        from tests.fuzz.readers.corpus import TARGETS, inputs
        from tests.fuzz.readers.driver import Tally, keep, try_one
        from tests.fuzz.readers.law import Outcome

    target = TARGETS[name]
    first = inputs(target)
    for number, data in enumerate(first):
        (corpus / f"seed-{number}").write_bytes(data)
    tally, start_s, scratch = Tally(name), time.monotonic(), tempfile.TemporaryDirectory(prefix=f"fuzz-{name}-")
    reported_s = start_s

    def write_report() -> None:
        tally.seconds = time.monotonic() - start_s
        failures = [
            f"{keep(failure, corpus.parent)}: {where}: {failure.error[:200]}"
            for where, failure in tally.failures.items()
        ]
        figures = {
            "inputs": tally.inputs, "read": tally.outcomes[Outcome.READ], "refused": tally.outcomes[Outcome.REFUSED],
            "seconds": tally.seconds, "slowest_s": tally.slowest_s, "failures": failures,
        }  # fmt: skip
        report.write_text(json.dumps(figures), "utf-8")
        (corpus.parent / "slowest").write_bytes(tally.slowest)

    def run_input(data: bytes) -> None:
        nonlocal reported_s
        try_one(target, data, Path(scratch.name), tally)
        if time.monotonic() - reported_s > 1:
            reported_s = time.monotonic()
            write_report()

    def mutate(data: bytes, most: int, drawn: int) -> bytes:
        draw = Random(drawn)
        if draw.random() < 0.2:
            return bytes(atheris.Mutate(data, most))
        try:
            return target.mutate(data, draw, first)[:most]
        except Exception:  # raised through atheris, it would stop the process silently
            return bytes(atheris.Mutate(data, most))

    options = [
        f"-max_total_time={int(seconds)}", f"-timeout={_SLOWEST_S}", f"-rss_limit_mb={_MOST_MB}", f"-seed={seed + 1}",
        "-max_len=65536", "-len_control=0", f"-artifact_prefix={corpus.parent}/",
    ]  # fmt: skip
    arguments: list[Any] = [sys.argv[0], *options, str(corpus)]
    write_report()
    atheris.Setup(arguments, run_input, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]), Path(sys.argv[5]))
