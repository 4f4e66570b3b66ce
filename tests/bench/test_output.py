"""What the benchmark driver reads from the measured programs."""

from __future__ import annotations

import pytest

from benchmarks.output import OutputError, batches, beyond_reference, median_times, process_times


def test_the_first_batch_only_warms_up() -> None:
    assert [b.cost for b in batches("batch 10 9000 100\nbatch 10 40 30\nbatch 10 50 30\n")] == [4, 5]


def test_the_cost_beyond_the_reference_comes_from_calm_batches() -> None:
    calm = ["batch 1 120 100"] * 4
    disturbed = ["batch 1 900 130", "batch 1 150 700"] * 6
    text = "\n".join(["batch 1 5000 5000", *disturbed, *calm])
    figures = beyond_reference(text)
    assert figures["beyond"] == 20
    assert figures["fastest"] == 120
    assert figures["typical"] == 150


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no 'batch' line"),
        ("batch 1 2 3\n", "a single batch"),
        ("batch 1 2 3\nbatch 0 2 3\n", "no operations"),
        ("batch 1 2 3\nbatch 1 2\n", "line 2"),
        ("batch 1 2 3\nbatch 1 x 3\n", "line 2"),
        ("process 1 2 3\n", "line 1"),
    ],
)
def test_anything_else_is_an_error_that_names_the_place(text: str, message: str) -> None:
    with pytest.raises(OutputError, match=message):
        batches(text)


def test_processes_without_an_end_line_have_no_exit_time() -> None:
    first, second = process_times("process 3000000 2000000 -1\nprocess 5000000 4000000 700000\n")
    assert (first.wall_ns, first.cpu_ns, first.exit_ns) == (3_000_000, 2_000_000, None)
    assert second.exit_ns == 700_000


def test_medians_are_in_milliseconds() -> None:
    text = "process 1000000 500000 -1\nprocess 3000000 700000 -1\nprocess 2000000 600000 -1\n"
    assert median_times(text) == {"wall": 2, "cpu": 0.6}
    assert median_times("process 1000000 500000 250000\n")["exit"] == 0.25
