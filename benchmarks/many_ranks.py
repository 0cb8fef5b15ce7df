"""Generates the traces of all ranks of one job, one file per rank, of a given size.

A rank computes for most of a step, with operators and launches that differ slightly between ranks, and then reduces its
gradients with the others: the collectives of a step end at the same time on all ranks. Only a few variants of events
are generated, and each file states its rank, so that thousands of files are written at the speed of the disk.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

STEPS = 10
VARIANTS = 16
_STEP_US = 100_000.0
_TAIL_US = 20_000.0
_LAYER_BYTES = 830
"""Approximate bytes of text per layer and step."""
_REDUCES = 8


@dataclass(frozen=True, slots=True)
class Job:
    """A job of `ranks` files of about `bytes_each` bytes; the rank `late` (-1: none) reaches the collectives of every
    step `late_us` later than the others."""

    ranks: int
    bytes_each: int = 20_000_000
    seed: int = 1
    late: int = -1
    late_us: float = 5_000.0


def write_job(folder: Path, job: Job) -> Path:
    """Writes the files of the job; returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    bodies = [_body(job, variant) for variant in range(min(VARIANTS, job.ranks))]
    late = _body(job, job.late % VARIANTS, late=True) if job.late >= 0 else b""
    for rank in range(job.ranks):
        with open(folder / f"worker{rank}.1750000000000.pt.trace.json", "wb") as file:
            file.write(_head(rank, job.ranks))
            file.write(late if rank == job.late else bodies[rank % VARIANTS])
    return folder


def _head(rank: int, ranks: int) -> bytes:
    return (
        '{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA A100-SXM4-40GB","numSms":108}],'
        f'"distributedInfo":{{"backend":"nccl","rank":{rank},"world_size":{ranks}}},"record_shapes":1,'
        f'"traceName":"rank{rank}","traceEvents":[\n'
    ).encode()


def _body(job: Job, variant: int, *, late: bool = False) -> bytes:
    layers = max(2, job.bytes_each // STEPS // _LAYER_BYTES)
    draw = random.Random(1000 * job.seed + variant)
    own_us = _STEP_US + (job.late_us if job.late >= 0 else 0.0)
    parts: list[str] = []
    for step in range(STEPS):
        parts += _step(step, layers, draw, job, step * own_us + 1000, own_us - (0.0 if late else own_us - _STEP_US))
    end = STEPS * own_us + 1000
    parts.append(
        '{"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"PyTorch Profiler","ts":0,'
        f'"dur":{end + 10:.3f},"args":{{"Op count":0}}}}\n]}}\n'
    )
    return "".join(parts).encode()


def _step(step: int, layers: int, draw: random.Random, job: Job, start: float, own_us: float) -> Iterator[str]:
    """Yields the events of a step. `own_us` is this rank's step time without waiting for other ranks; the last
    collective ends at the end of the job's step."""
    whole = _STEP_US + (job.late_us if job.late >= 0 else 0.0)
    room = (own_us - _TAIL_US) / layers
    now, number = start, step * layers
    for layer in range(layers):
        number += 1
        busy = room * (0.80 + 0.05 * draw.random())
        dims = f"[[{32 * (layer % 7 + 1)},512],[512,{64 * (layer % 5 + 1)}]]"
        yield (
            f'{{"ph":"X","cat":"cpu_op","name":"aten::linear_{layer % 40}","pid":40,"tid":40,"ts":{now:.3f},'
            f'"dur":{room * 0.7:.3f},"args":{{"External id":{3 * number},"Input Dims":{dims}}}}},\n'
            f'{{"ph":"X","cat":"cpu_op","name":"aten::addmm_{layer % 60}","pid":40,"tid":40,'
            f'"ts":{now + room * 0.1:.3f},"dur":{room * 0.5:.3f},'
            f'"args":{{"External id":{3 * number + 1},"Input Dims":{dims}}}}},\n'
            f'{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":40,"tid":40,"ts":{now + room * 0.2:.3f},'
            f'"dur":{room * 0.1:.3f},"args":{{"External id":{3 * number + 1},"cbid":211,"correlation":{number}}}}},\n'
            f'{{"ph":"X","cat":"kernel","name":"ampere_fp16_s1688gemm_fp16_{layer % 90}_ldg8_f2f_nn","pid":0,"tid":7,'
            f'"ts":{now + room * 0.15:.3f},"dur":{busy:.3f},"args":{{"External id":{3 * number + 1},"device":0,'
            f'"stream":7,"correlation":{number},"grid":[{layer % 64 + 1},1,1],"block":[256,1,1],'
            f'"registers per thread":128,"blocks per SM":1.5,"est. achieved occupancy %":50}}}},\n'
        )
        now += room
    ready, last = start + own_us - _TAIL_US, start + whole - 1000
    for reduce in range(_REDUCES):
        begin = ready if reduce == 0 else last - (_REDUCES - reduce) * 1000 - 500
        end = last - (_REDUCES - 1 - reduce) * 1000 - 500
        yield (
            '{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",'
            f'"pid":0,"tid":13,"ts":{begin:.3f},"dur":{end - begin - 1:.3f},"args":{{"device":0,"stream":13,'
            f'"Collective name":"allreduce","In msg nelems":4096,"Out msg nelems":4096,"dtype":"Float",'
            f'"Group size":{job.ranks},"Process Group Name":"0","grid":[24,1,1],"block":[288,1,1]}}}},\n'
        )
    yield (
        f'{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{step}","pid":40,"tid":40,"ts":{start - 1:.3f},'
        f'"dur":{whole - 1:.3f},"args":{{"External id":{3 * (step + 1) * layers + 2}}}}},\n'
    )
