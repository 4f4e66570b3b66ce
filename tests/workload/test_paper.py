"""`headrace bench paper`: a study of one's own runs, is interrupted, goes on, and is shown beside what was
published."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from bench_tools import COMMAND, launcher

STUDY = """
title = "Transfers of two sizes"
source = "A. Author, 2015"
notes = ["Nothing of this was published."]
[[measures]]
name = "write"
key = "write_mbps"
unit = "MB/s"
[[measures]]
name = "slowest"
key = "phases.write.longest"
unit = "s"
less = true
[[tables]]
name = "one"
title = "One rank"
size = "1 MiB"
ranks = 1
words = ["ior", "--block", "1M"]
measures = ["write", "slowest"]
[tables.full]
size = "2 MiB"
words = ["ior", "--block", "2M"]
[[tables.cases]]
name = "64K"
words = ["--transfer", "64K", "--emulate", "2ms"]
published = { write = 10.0, slowest = 8 }
[[tables.cases]]
name = "1M"
words = ["--transfer", "1M", "--emulate", "2ms"]
full = ["--transfer", "2M"]
published = { write = 80.0, slowest = 2 }
[[tables.cases]]
name = "100T"
words = ["--block", "100T"]
published = { write = "x" }
"""


class Study:
    def __init__(self, directory: Path, text: str = STUDY) -> None:
        self.directory = directory
        self.file = directory / "mine.toml"
        self.file.write_text(text)
        self.runs = directory / "results" / "runs.jsonl"
        self.files = directory / "files"
        self.files.mkdir()

    def command(self, *words: str) -> list[str]:
        places = ["--dir", str(self.files), "--results", str(self.runs.parent)]
        return [COMMAND, "bench", "paper", str(self.file), *places, *words]

    def run(self, *words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        environment = dict(os.environ)
        done = subprocess.run(
            self.command(*words), capture_output=True, text=True, timeout=100, check=False, env=environment
        )
        assert done.returncode == status, (done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        assert list(self.files.iterdir()) == []
        return done

    def facts(self, *words: str) -> dict[str, Any]:
        facts: dict[str, Any] = json.loads(self.run("--json", *words).stdout)
        return facts

    def kept(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.runs.read_text().splitlines()]


def test_figures_stand_beside_those_published(tmp_path: Path) -> None:
    facts = Study(tmp_path).facts("--repeats", "2")
    first, second, third = facts["tables"][0]["cases"]
    assert [first["outcome"], second["outcome"], third["outcome"]] == ["done", "done", "too large"]
    assert first["runs"] == second["runs"] == 2
    write = second["measures"][0]
    # 16 calls that wait 2 ms each, and one.
    assert first["measures"][0]["here"]["value"] < 1.048576 / 0.032
    assert write["here"]["low"] <= write["here"]["value"] <= write["here"]["high"]
    assert write["times"]["value"] > 0 and write["published_times"] == 8
    assert second["measures"][1] == {
        "name": "slowest", "unit": "s", "less_is_better": True, "here": None, "times": None, "published": 2,
        "published_times": 4,
    }  # fmt: skip
    assert third["measures"][0]["published"] == "x" and third["measures"][0]["here"] is None


def test_it_goes_on_where_it_was(tmp_path: Path) -> None:
    study = Study(tmp_path)
    study.run("--repeats", "1")
    before = study.kept()
    assert [run["repetition"] for run in before] == [0, 0, 0]
    again = study.run("--repeats", "2")
    assert again.stderr.count("repetition 2") == 3
    assert again.stderr.count("repetition 1") == 1  # what was too large may fit now
    assert study.kept()[:3] == before and len(study.kept()) == 7
    study.run("--repeats", "2", "--show")
    assert len(study.kept()) == 7


def test_what_is_shown_was_measured_so(tmp_path: Path) -> None:
    """Repetitions, size and options are those of the results, not those that another command would take."""
    study = Study(tmp_path)
    assert "here: not run" in study.run("--show").stdout
    study.run("--repeats", "1", "--full", "--", "--sync")
    text = study.run("--show").stdout
    assert "here: 2 MiB, 1 rank, 1 run of each case" in text and "not run" not in text
    facts = study.facts("--show")
    assert facts["repeats"] == 1 and facts["full"] is True and facts["options"] == ["--sync"]
    assert [case["runs"] for case in facts["tables"][0]["cases"]] == [1, 1, 0]
    assert "1 run of each case" in study.run("--show", "--repeats", "9").stdout
    study.run("--repeats", "2")
    text = study.run("--show").stdout
    assert "here: 1 MiB, 1 rank, 2 runs of each case" in text
    assert "3 runs with --full -- --sync: not shown" in text
    text = study.run("--show", "--full", "--", "--sync").stdout
    assert "here: 2 MiB, 1 rank, 1 run of each case" in text
    assert "not run with --full" in study.run("--show", "--full").stdout


def test_cases_that_were_not_run_equally_often_say_so(tmp_path: Path) -> None:
    study = Study(tmp_path)
    study.run("--repeats", "2")
    lines = study.runs.read_text().splitlines(keepends=True)
    study.runs.write_text("".join(lines[:4]))  # as if interrupted
    text = study.run("--show").stdout
    assert "here: 1 MiB, 1 rank, 1 to 2 runs of a case" in text
    target = tmp_path / "page.md"
    study.run("--show", "-o", str(target))
    assert "here: 1 MiB, 1 rank, 1 to 2 runs of a case" in target.read_text()


def test_results_of_elsewhere_are_not_taken(tmp_path: Path) -> None:
    study = Study(tmp_path)
    study.run("--repeats", "1")
    assert str(study.files) in study.run("--repeats", "1", "--show").stdout
    done = study.run("--repeats", "1", "--dir", str(tmp_path), status=2)
    assert f"has results of --dir {study.files}" in done.stderr and "--results" in done.stderr
    assert "--launcher 'mpirun -n {ranks}'" in study.run("--launcher", "srun -n {ranks}", status=2).stderr


def test_one_at_a_time(tmp_path: Path) -> None:
    study = Study(tmp_path)
    study.runs.parent.mkdir()
    directory = os.open(study.runs.parent, os.O_RDONLY)
    fcntl.flock(directory, fcntl.LOCK_EX)
    assert "another `headrace bench paper`" in study.run("--repeats", "1", status=2).stderr
    os.close(directory)
    study.run("--repeats", "1")


def test_what_took_too_long_is_told_and_may_have_more_time(tmp_path: Path) -> None:
    slow = STUDY.replace('"64K", "--emulate", "2ms"', '"1K", "--emulate", "2ms"')  # 2 s and more
    study = Study(tmp_path, slow)
    first, second, _ = study.facts("--repeats", "1", "--limit", "1")["tables"][0]["cases"]
    assert first["outcome"] == "too long" and first["measures"][0]["here"] is None
    assert second["outcome"] == "done"
    assert "1 of 3" not in study.run("--repeats", "1", "--limit", "1").stderr  # not tried again
    assert study.facts("--repeats", "1", "--limit", "60")["tables"][0]["cases"][0]["outcome"] == "done"


def test_a_mean_without_the_slow_runs_says_so(tmp_path: Path) -> None:
    study = Study(tmp_path)
    study.run("--repeats", "2")
    lines = study.kept()
    lost = next(line for line in lines if line["case"] == "1M")
    lost.update(outcome="too long", limit=600.0)
    study.runs.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert "1M (1 run, others too long)" in study.run("--show", "--repeats", "2").stdout


@pytest.mark.parametrize("name", ["mine.md", "mine.html"])
def test_no_file_of_others_is_replaced(tmp_path: Path, name: str) -> None:
    study = Study(tmp_path)
    target = tmp_path / name
    target.write_text("my notes")
    done = study.run("--repeats", "1", "-o", str(target), status=4)
    assert "--force replaces it" in done.stderr and target.read_text() == "my notes"
    assert not study.runs.exists()  # refused before anything was measured
    study.run("--repeats", "1", "-o", str(target), "--force")
    study.run("--repeats", "1", "-o", str(target))  # is a report now
    none = study.run("-o", str(tmp_path / "none" / name), status=4)
    assert "its directory is not there" in none.stderr


def test_a_line_that_was_not_finished_is_run_again(tmp_path: Path) -> None:
    study = Study(tmp_path)
    study.run("--repeats", "1")
    lines = study.runs.read_bytes()
    study.runs.write_bytes(lines[:-20])
    assert study.run("--repeats", "1").stderr.count("repetition") == 1
    assert len(study.kept()) == 3


def test_an_interruption_keeps_what_is_done(tmp_path: Path) -> None:
    study = Study(tmp_path)
    command = study.command("--repeats", "500")
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as running:
        deadline = time.monotonic() + 60
        while not study.runs.exists() or len(study.runs.read_text().splitlines()) < 4:
            assert time.monotonic() < deadline and running.poll() is None
            time.sleep(0.01)
        os.kill(running.pid, signal.SIGTERM)
        _, errors = running.communicate(timeout=30)
    assert running.returncode == 128 + signal.SIGINT
    assert "interrupted; " in errors and "goes on there" in errors
    assert list(study.files.iterdir()) == []
    assert study.facts("--show", "--repeats", "500")["tables"][0]["cases"][0]["runs"] >= 2


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_ranks_are_started(tmp_path: Path, mpi: str) -> None:
    words = launcher(mpi, 2)
    study = Study(tmp_path, STUDY.replace("ranks = 1", "ranks = 2"))
    start = " ".join(words[:-1]) + " {ranks}"
    study.run("--repeats", "1", "--launcher", start)
    assert [run["figures"]["ranks"] for run in study.kept() if run["outcome"] == "done"] == [2, 2]


def test_full_sizes_are_runs_of_their_own(tmp_path: Path) -> None:
    study = Study(tmp_path)
    study.run("--repeats", "1")
    facts = study.facts("--repeats", "1", "--full", "--", "--sync")
    assert facts["tables"][0]["size"] == "2 MiB"
    assert facts["tables"][0]["cases"][1]["words"] == ["ior", "--block", "2M", "--sync", "--transfer", "2M"]
    assert len({run["key"] for run in study.kept()}) == 6


def test_text_and_markdown(tmp_path: Path) -> None:
    study = Study(tmp_path)
    text = study.run("--repeats", "2").stdout
    assert "Transfers of two sizes" in text and "A. Author, 2015" in text
    assert "here: 1 MiB, 1 rank, 2 runs of each case" in text
    target = tmp_path / "study.md"
    study.run("--show", "--repeats", "2", "-o", str(target))
    lines = target.read_text().splitlines()
    assert lines[0] == "# Transfers of two sizes"
    assert any(re.match(r"\| 100T \| write, MB/s \| x \| . \| . \| . \| x \|", line) for line in lines)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (STUDY.replace('title = "One rank"', ""), "'title' is missing"),
        (STUDY.replace("[[tables]]", "[[tables"), "is no TOML"),
        (STUDY.replace("ranks = 1", "ranks = 0"), "ranks are a number from 1 on, not 0"),
        (STUDY.replace('"--block", "1M"', "3"), "is no list of texts"),
        (STUDY.replace('measures = ["write", "slowest"]', 'measures = ["read"]'), "'read' is missing"),
        (STUDY.replace('name = "1M"', 'name = "64K"'), "two of one name"),
        (STUDY.replace("less = true", "more = true"), "more"),
    ],
)
def test_a_wrong_study_is_refused(tmp_path: Path, text: str, message: str) -> None:
    study = Study(tmp_path, text)
    done = study.run(status=2)
    assert message in done.stderr and str(study.file) in done.stderr
    assert not study.runs.exists()


def test_what_cannot_run_is_said(tmp_path: Path) -> None:
    wrong = Study(tmp_path, STUDY.replace('"ior"', '"iro"')).run(status=3)
    assert "there is no pattern 'iro'" in wrong.stderr and "\n  " not in wrong.stderr


def test_results_that_are_something_else_stay(tmp_path: Path) -> None:
    study = Study(tmp_path)
    study.runs.parent.mkdir()
    study.runs.write_text("my notes\n")
    assert "line 1 is no result of a run" in study.run(status=2).stderr
    assert study.runs.read_text() == "my notes\n"


def test_a_name_that_is_not_there() -> None:
    done = subprocess.run([COMMAND, "bench", "paper", "none"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and re.search(r"there are .*page-buffer", done.stderr)


def test_papers_are_well_formed() -> None:
    from headrace.papers import paper

    listed = subprocess.run([COMMAND, "bench", "paper", "--list"], capture_output=True, text=True, check=True)
    for name in paper.names():
        assert name in listed.stdout
        for full in (False, True):
            tables = paper.read(name, full).tables
            assert len({table.name for table in tables}) == len(tables)
            for table in tables:
                known = {measure.name for measure in table.measures}
                for case in table.cases:
                    assert set(case.published) | set(case.times) <= known
                    assert all(value == "x" or value > 0 for value in case.published.values())


def test_rates_are_in_the_unit_that_they_are_called_by() -> None:
    """Runs print 10^6 bytes a second; papers have those of 2^20, whatever they call them."""
    from headrace.papers import paper

    for name in paper.names():
        for table in paper.read(name).tables:
            for measure in table.measures:
                if measure.key.endswith("_mbps"):
                    assert measure.divisor == {"MB/s": 1, "MiB/s": 1.048576}[measure.unit], (name, measure)
    published = paper.read("page-buffer").tables[0].cases[0].published
    assert published["write"] == 31.63, "as the paper prints it"
    assert paper.read("page-buffer").tables[0].measures[0].of({"write_mbps": 1.048576}) == 1


def test_a_profile_that_is_fitted_to_a_paper_is_said_to_be() -> None:
    from headrace.papers import paper

    profiles = Path(COMMAND).parents[1] / "share" / "headrace" / "profiles"
    for name in paper.names():
        study = paper.read(name)
        author = study.source.split(":")[0]  # "M. Chaarawi"
        for table in study.tables:
            profile = table.words[table.words.index("--emulate") + 1]
            if author.split(" et al.")[0] in (profiles / f"{profile}.toml").read_text():
                assert profile in (study.fitted_to(table) or ""), (name, table.name)


@pytest.mark.parametrize(
    ("rates", "verdict"),
    [
        ([(100, 800), (101, 810)], "1 within a factor of 2."),
        ([(100, 200), (101, 201)], "1 further away. Farthest: 1M, write, 2 here and 8 published."),
        ([(100, 9000), (101, 300)], "1 too noisy to say."),
        ([(100, 800)], "1 within a factor of 2. Each case ran once: how much runs differ is not known."),
        ([], "1 not measured."),
    ],
)
def test_a_verdict_in_words(tmp_path: Path, rates: list[tuple[int, int]], verdict: str) -> None:
    from headrace.papers import paper
    from headrace.papers.matrix import runs_of

    text = (
        STUDY.replace(', "slowest"]', "]").replace(", slowest = 2 }", " }").replace(", slowest = 8 }", " }")
    )
    study = Study(tmp_path, text)
    results = [
        {"key": run.key, "repetition": run.repetition, "outcome": "done", "full": False, "options": [],
         "figures": {"write_mbps": rates[run.repetition][("64K", "1M", "100T").index(run.case.name) % 2]}}
        for run in runs_of(paper.read(str(study.file)), len(rates))
    ]  # fmt: skip
    study.runs.parent.mkdir()
    study.runs.write_text("".join(json.dumps(result) + "\n" for result in results))
    facts = study.facts("--show")
    verdict = f"Of 1 published ratio: {verdict}"
    assert facts["tables"][0]["verdict"] == verdict
    page = tmp_path / "page.md"
    study.run("--show", "-o", str(page))
    assert verdict in page.read_text()
    assert ("too noisy to say |" in page.read_text()) == ("noisy" in verdict)


FIGURES = """
[[tables.figures]]
name = "Figure 1"
title = "leaders"
kind = "histogram"
key = "supervising_seconds"
[[tables.figures]]
name = "Figure 2"
title = "members"
kind = "lines"
key = "collecting_seconds"
"""


def test_figures_of_ranks_are_drawn(tmp_path: Path) -> None:
    dumps = '"dump", "--cells", "4x4x4", "--kind", "visualization", "--dumps", "2", "--emulate", "1ms"'
    text = STUDY.replace('"ior", "--block", "1M"', dumps).replace("ranks = 1", "ranks = 2")
    text = re.sub(r'"--transfer", "64K", "--emulate", "2ms"', '"--scheme", "single-message"', text)
    text = re.sub(r'"--transfer", "1M", "--emulate", "2ms"', '"--scheme", "multi-message"', text)
    text = text[: text.rindex("[[tables.cases]]")] + FIGURES
    study = Study(tmp_path, text)
    before = study.facts("--show")["tables"][0]["figures"]
    assert before[0]["edges"] == [] and before[1]["lines"] == []
    assert "Figure 1: leaders" in study.run("--show").stdout
    assert "not run" in study.run("--show").stdout
    histogram, lines = study.facts("--repeats", "2")["tables"][0]["figures"]
    assert [each["name"] for each in histogram["series"]] == ["64K", "1M"]
    assert [sum(each["counts"]) for each in histogram["series"]] == [4, 4], "a leader, two dumps, two runs"
    assert len(histogram["edges"]) == len(histogram["series"][0]["counts"]) + 1
    assert [line["rank"] for line in lines["lines"]] == [1] and len(lines["lines"][0]["seconds"]) == 2
    assert lines["case"] == "64K" and all(value > 0 for value in lines["lines"][0]["seconds"])
    page = tmp_path / "page.md"
    study.run("--show", "-o", str(page))
    assert "### Figure 2: members" in page.read_text() and "| dump (64K) | least, s |" in page.read_text()
    study.run("--show", "-o", str(tmp_path / "page.html"))


def test_keys_of_measures() -> None:
    from headrace.papers.paper import Measure

    phases = [{"name": "read", "s": 7}, {"name": "write", "s": 4}]
    result = {"a": 1, "b": {"c": 2.5}, "phases": phases, "t": "x"}

    def of(key: str) -> float | None:
        return Measure(key, key, "s").of(result)

    assert of("a") == 1 and of("b.c") == 2.5 and of("a + b.c") == 3.5
    assert of("phases.write.s") == 4 and of("phases.*.s") == 5.5 and of("phases.*.t") is None
    assert of("b") is of("c") is of("phases.check.s") is of("a.c") is of("t") is of("a + c") is None


@pytest.mark.parametrize("full", [False, True])
def test_words_of_papers_are_options(full: bool) -> None:
    """Every run of every paper, as far as to the directory that is not there."""
    from headrace.papers import paper

    program = Path(COMMAND).parents[1] / "lib" / "headrace" / "headrace-bench"
    profiles = {path.stem for path in (program.parents[2] / "share" / "headrace" / "profiles").glob("*.toml")}
    tables = [table for name in paper.names() for table in paper.read(name, full).tables]
    for words in {(*table.words, *case.words) for table in tables for case in table.cases}:
        done = subprocess.run(
            [program, *words, "--dir", "/none/at/all"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        # What one rank cannot do is refused as well, by another name.
        assert done.returncode in (2, 3), (words, done.stderr)
        assert "there is no" not in done.stderr and "is no size" not in done.stderr, (words, done.stderr)
        assert words[words.index("--emulate") + 1] in profiles
