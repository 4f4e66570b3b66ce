"""Turns operations and processes into measures that the rounds can run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from benchmarks import litter
from benchmarks.operations import Operation
from benchmarks.output import beyond_reference, median_times
from benchmarks.proof import expect_operations, expect_processes
from benchmarks.rounds import Measure, Sample
from benchmarks.variants import HEADRACE, HEADRACE_RUN, Place, Variant, run

PROCESSES_IN_ROUND = 11


def operation_measure(operation: Operation, variants: Mapping[str, Variant], place: Place) -> Measure:
    """CPU ns per operation, see ``beyond_reference``. Of Headrace, only if it recorded each one."""

    def sample(name: str) -> Sample:
        command = [str(place.programs / operation.program)]
        if operation.needs_directory:
            command.append(str(place.files()))
        command += operation.arguments
        scratch = place.scratch()
        text = run(command, variants[name].environment(scratch), scratch)
        if name == HEADRACE:
            expect_operations(scratch, operation.function, text)
        return beyond_reference(text)

    return Measure(operation.name, tuple(n for n, v in variants.items() if not v.prefix), sample)


def process_measure(
    name: str, program: list[str], variants: Mapping[str, Variant], place: Place, left: set[Path]
) -> Measure:
    """Wall, CPU and (where the program says when main ends) exit ms of whole processes.

    What a launched run leaves in shared memory is added to ``left``.
    """

    def sample(variant_name: str) -> Sample:
        variant = variants[variant_name]
        scratch = place.scratch()
        command = [str(part) for part in program]
        if "{files}" in command:
            command[command.index("{files}")] = str(place.files())
        settings = [f"{k}={v}" for k, v in variant.environment(scratch).items()]
        timer = [str(place.programs / "process_times"), str(PROCESSES_IN_ROUND), *settings, "--"]
        before = litter.entries()
        text = run([*timer, *variant.prefix, *command], {}, scratch)
        if variant.prefix:
            left.update(litter.appeared(before, litter.entries(), place.base))
        if variant_name in (HEADRACE, HEADRACE_RUN):
            launched = variant_name == HEADRACE_RUN
            expect_processes(scratch, program[0], PROCESSES_IN_ROUND, launched=launched)
        return median_times(text)

    return Measure(name, tuple(variants), sample)
