"""`headrace catalog`: adding, asking, checking, watching."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from headrace import catalog
from headrace.catalog import engine
from headrace.catalog.engine import quoted

ENDLESS = "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range + b.range = 7"
SACCT = """JobIDRaw|JobID|User|Account|Partition|JobName|Submit|Start|End|State|ExitCode|NNodes|AllocCPUS
7|7|ann|a1|batch|run|1767261600|1767265200|1767268800|COMPLETED|0:0|4|64
7.0|7.0|||||1767265200|1767265200|1767268800|COMPLETED|0:0|4|64
8|8|ann|a1|batch|run|1767261600|1767265200|1767268800|CANCELLED by 12|0:9|4|64
9|9|ann|a1|batch|run|1767261600|Unknown|Unknown|PENDING|0:0|4|64
"""
PBS = """01/01/2026 10:00:00;Q;5.server;queue=batch
01/01/2026 11:00:00;S;5.server;user=bob queue=batch start=1767265200
01/01/2026 11:00:00;S;6.server;user=bob queue=batch start=1767265300
01/01/2026 12:00:00;E;5.server;user=bob account="the project" jobname=x queue=batch ctime=1767261600 qtime=1767261600 start=1767265200 end=1767268800 Exit_status=1 Resource_List.nodect=2 Resource_List.ncpus=32
"""
COBALT = """01/01/2026 12:00:00;E;77;user=eve account=x exe=/bin/a args=b queue=q ctime=1767261600 start=1767265200 end=1767268800 Exit_status=0 Resource_List.nodect=512 Resource_List.ncpus=2048 resources_used.location=R00
"""


def run(root: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "headrace", "catalog", "--at", root, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_records_of_schedulers(tmp_path: Path) -> None:
    files = {
        "sacct.txt": SACCT, "20260101": PBS, "cobalt.log": COBALT, "jobs.csv": "job,start,end,nodes\nc1,1767265200,1767268800,3\n",
        "site.toml": '[site]\nname = "here"\n[[calendar]]\nstart = 2026-01-01T00:00:00Z\nend = "2026-01-02T00:00:00+00:00"\nkind = "maintenance"\ntext = "y"\n',
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    result = run(tmp_path / "c", "add", "--json", *(tmp_path / name for name in files))
    assert (result.returncode, result.stderr) == (0, "")
    assert json.loads(result.stdout)["added"] == 5
    found = run(
        tmp_path / "c",
        "sql",
        "--csv",
        'SELECT scheduler, job, state, exit_status, nodes, cores, account, epoch("start")::BIGINT FROM scheduler_jobs ORDER BY 1, 2',
    ).stdout.split()
    assert [line.replace(" ", "_") for line in found[1:] if "," in line] != []
    rows = catalog.open(tmp_path / "c").table("scheduler_jobs").to_pylist()
    said = {
        (row["scheduler"], row["job"]): (row["state"], row["exit_status"], row["nodes"], row["cores"])
        for row in rows
    }
    assert said == {
        ("slurm", "7"): ("completed", 0, 4, 64), ("slurm", "8"): ("cancelled", 137, 4, 64),
        ("pbs", "5.server"): ("failed", 1, 2, 32), ("pbs", "6.server"): ("running", None, None, None),
        ("cobalt", "77"): ("completed", 0, 512, 2048), ("csv", "c1"): (None, None, 3, None),
    }  # fmt: skip
    assert {row["account"] for row in rows} == {"a1", "the project", "x", None}


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.txt", SACCT.replace("|4|64", "|four|64", 1), "line 2: nodes is no number"),
        ("a.txt", SACCT.replace("1767265200", "soon", 1), "line 2: start is no time"),
        ("a.log", PBS + "nonsense\n", "line 5: is no record"),
        ("a.csv", "x,y\n1,2\n", "needs columns 'job' and 'start'"),
        ("a.toml", "[[colours]]\nx = 1\n", "there is no table [colours]"),
        ("a.toml", "= 1", "not TOML"),
        ("a.parquet", "PAR1 and no more", "not a Parquet file"),
    ],
)
def test_bad_records_are_named_with_their_place(tmp_path: Path, name: str, text: str, says: str) -> None:
    (tmp_path / name).write_text(text)
    result = run(tmp_path / "c", "add", tmp_path / name)
    assert result.returncode == 3
    assert says in result.stderr
    assert str(tmp_path / name) in result.stderr
    assert "Traceback" not in result.stderr


def test_sql_reads_and_nothing_else(tmp_path: Path) -> None:
    catalog.create(tmp_path / "c")
    for statement in (
        "DROP VIEW logs",
        "SELECT 1; DROP VIEW logs",
        "COPY logs TO 'x'",
        "nonsense",
        "",
        "SELECT * FROM read_text('/etc/passwd')",
        "EXPLAIN ANALYZE COPY (SELECT 1 AS x) TO 'x' (FORMAT parquet)",
        "/* as a question */ EXPLAIN ANALYZE SELECT 1",
    ):
        result = run(tmp_path / "c", "sql", statement)
        assert result.returncode == 2
        assert "Traceback" not in result.stderr
    out = tmp_path / "out.parquet"
    assert run(tmp_path / "c", "sql", "SELECT 1 AS one", "--parquet", out).returncode == 0
    assert out.is_file()
    assert json.loads(run(tmp_path / "c", "sql", "SELECT 1 AS one", "--json").stdout) == [{"one": 1}]


def test_sql_cannot_write_over_a_part(tmp_path: Path) -> None:
    root = tmp_path / "c"
    (tmp_path / "a.txt").write_text(SACCT)
    assert run(root, "add", tmp_path / "a.txt").returncode == 0
    part = next((root / "scheduler_jobs").glob("*/*.parquet"))
    statement = f"COPY (SELECT 1 AS x) TO '{part}' (FORMAT parquet, USE_TMP_FILE false)"
    within = f"WITH x AS ({statement}) SELECT * FROM x"
    (serialized,) = duckdb.connect().execute("SELECT json_serialize_sql(?)", [within]).fetchall()[0]
    attacks = [
        statement,
        f"EXPLAIN ANALYZE {statement}",
        f"SELECT 1; {statement}",
        within,
        f"{within} UNION ALL SELECT 1",
        f"SELECT * FROM ({within})",
        f"SELECT * FROM query({quoted(within)})",
        f"SELECT * FROM json_execute_serialized_sql({quoted(serialized)})",
        f'FROM system.main."JSON_execute_serialized_sql"({quoted(serialized)})',
        f"SELECT (SELECT count(*) FROM json_execute_serialized_sql({quoted(serialized)}))",
        "WITH x AS (INSERT INTO logs SELECT * FROM logs RETURNING log) SELECT * FROM x",
    ]
    for attack in attacks:
        assert run(root, "sql", attack).returncode == 2, attack
    assert run(root, "verify").returncode == 0


def test_questions_of_all_kinds_are_taken(tmp_path: Path) -> None:
    root = tmp_path / "c"
    catalog.create(root)
    for question in (
        "FROM logs",
        "DESCRIBE jobs",
        "SUMMARIZE logs",
        "SHOW TABLES",
        "TABLE site",
        "VALUES (1), (2)",
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3) SELECT sum(n) FROM t",
        "SELECT * FROM range(3) EXCEPT (SELECT 1 UNION SELECT 2)",
        "SELECT list_transform([1, 2], lambda x: x + 1), unnest([1, 2])",
        "SELECT 1 WHERE EXISTS (SELECT * FROM logs)",
    ):
        result = run(root, "sql", question)
        assert (result.returncode, result.stderr) == (0, ""), question


def test_answers_keep_all_columns_and_sums_are_numbers(tmp_path: Path) -> None:
    root = tmp_path / "c"
    catalog.create(root)
    twice = "SELECT 1 AS a, 2 AS a"
    assert run(root, "sql", twice).stdout.splitlines()[1].split() == ["1", "2"]
    assert run(root, "sql", twice, "--csv").stdout.splitlines() == ["a,a", "1,2"]
    assert "two columns are named 'a'" in run(root, "sql", twice, "--json").stderr
    total = run(root, "sql", "SELECT sum(x) AS x FROM range(5) t(x)", "--json")
    assert json.loads(total.stdout) == [{"x": 10}]


@pytest.mark.parametrize("value", ["INTERVAL 1 MONTH", "'infinity'::TIMESTAMPTZ"])
def test_values_that_a_form_does_not_have_are_told(tmp_path: Path, value: str) -> None:
    root = tmp_path / "c"
    catalog.create(root)
    for form in ((), ("--csv",), ("--json",), ("--parquet", tmp_path / "x.parquet")):
        result = run(root, "sql", f"SELECT {value} AS x", *form)
        assert "Traceback" not in result.stderr
        assert result.returncode == 0 or "CAST(" in result.stderr
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_verify_finds_what_is_wrong_and_repairs_what_nobody_needs(tmp_path: Path) -> None:
    root = tmp_path / "c"
    (tmp_path / "a.txt").write_text(SACCT)
    assert run(root, "add", tmp_path / "a.txt").returncode == 0
    assert run(root, "verify").returncode == 0
    part = next((root / "scheduler_jobs").glob("*/*.parquet"))
    left, fresh = part.with_name("left.parquet"), part.with_name("fresh.parquet")
    left.write_bytes(b"half")
    fresh.write_bytes(b"being written")
    os.utime(left, (0, 0))
    assert run(root, "verify", "--repair").stdout.splitlines()[1] == "1 files that no commit names; 1 removed"
    assert fresh.exists()
    assert not left.exists()
    content = part.read_bytes()
    part.chmod(0o644)
    for damage, says in [(content[:-9], "bytes"), (content[:40] + b"x" + content[41:], "other content")]:
        part.write_bytes(damage)
        result = run(root, "verify")
        assert result.returncode == 3
        assert says in result.stderr
    part.unlink()
    assert "is missing" in run(root, "verify").stderr


def test_small_parts_are_put_together(tmp_path: Path) -> None:
    root = tmp_path / "c"
    for number in range(5):
        (tmp_path / "a.txt").write_text(SACCT.replace("|ann|", f"|u{number}|"))
        run(root, "add", tmp_path / "a.txt")
    before = catalog.open(root)
    connection = before.connect()
    assert run(root, "compact").returncode == 0
    after = catalog.open(root)
    assert len(after.state.of("scheduler_jobs")) == 1
    question = 'SELECT "user", count(*) FROM scheduler_jobs GROUP BY 1 ORDER BY 1'
    # Who opened it before still reads what was there.
    assert connection.execute(question).fetchall() == after.connect().execute(question).fetchall()
    assert run(root, "verify").returncode == 0


def test_watch_adds_what_comes_and_ends_gracefully(
    tmp_path: Path, next_line: Callable[[subprocess.Popen[str]], str]
) -> None:
    root, logs = tmp_path / "c", tmp_path / "logs"
    logs.mkdir()
    command = [sys.executable, "-m", "headrace", "catalog", "--at", root, "watch", logs, "--every", "0.1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watcher:
        (logs / "a.txt").write_text(SACCT)
        assert next_line(watcher) == "1 added with 2 rows\n"
        (logs / "b.log").write_text(PBS)
        assert next_line(watcher) == "1 added with 2 rows\n"
        watcher.send_signal(signal.SIGTERM)
        assert watcher.wait(60) == 0
    assert catalog.open(root).table("scheduler_jobs").num_rows == 4


def test_a_killed_add_is_taken_up_again(tmp_path: Path) -> None:
    root, tree = tmp_path / "c", tmp_path / "tree"
    tree.mkdir()
    for number in range(300):
        (tree / f"{number}.txt").write_text(SACCT.replace("|ann|", f"|u{number}|"))
    command = [sys.executable, "-m", "headrace", "catalog", "--at", root, "add", tree]
    for delay in (0.4, 0.8):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as adder:
            time.sleep(delay)
            adder.kill()
    assert run(root, "add", tree).returncode == 0
    assert catalog.open(root).table("scheduler_jobs").num_rows == 600
    assert run(root, "verify").returncode == 0


def test_one_map_serves_scans_and_the_catalog(tmp_path: Path) -> None:
    """`headrace scan --projects` takes groups; of accounts and users such a row says nothing."""
    (tmp_path / "map.toml").write_text('[[projects]]\nproject = "staff"\ngroup = "operators"\n')
    (tmp_path / "a.txt").write_text(SACCT)
    root = tmp_path / "c"
    assert run(root, "add", tmp_path / "map.toml", tmp_path / "a.txt").returncode == 0
    asked = "SELECT (SELECT \"group\" FROM projects) AS g, count(*) AS n FROM jobs WHERE project = 'staff'"
    assert json.loads(run(root, "sql", asked, "--json").stdout) == [{"g": "operators", "n": 0}]


def test_a_csv_that_is_none_keeps_nothing_else_out(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.csv").write_bytes(b"a,\rb\x00\xff\n1,2\n")
    (tree / "b.txt").write_text(SACCT)
    result = run(tmp_path / "c", "add", tree)
    assert result.returncode == 0 and "1 added" in result.stdout
    assert "no CSV" in run(tmp_path / "c", "add", tree / "a.csv").stderr


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("1,2026-03-01T10:00:00Z,2026-03-01T09:00:00Z,4", "ends before it starts"),
        ("1,2026-03-01T10:00:00Z,,-3", "nodes is -3"),
    ],
)
def test_records_that_cannot_be_are_left_out(tmp_path: Path, line: str, says: str) -> None:
    """They made core hours less than none."""
    good = "2,2026-03-01T10:00:00Z,2026-03-01T11:00:00Z,4"
    (tmp_path / "jobs.csv").write_text(f"job,start,end,nodes\n{line}\n{good}\n")
    result = run(tmp_path / "c", "add", tmp_path / "jobs.csv")
    assert result.returncode == 3 and says in result.stderr and "line 2" in result.stderr
    found = json.loads(run(tmp_path / "c", "sql", "SELECT job FROM jobs", "--json").stdout)
    assert found == [{"job": "2"}]


def test_a_missing_part_is_told(tmp_path: Path) -> None:
    root = tmp_path / "c"
    (tmp_path / "a.txt").write_text(SACCT)
    assert run(root, "add", tmp_path / "a.txt").returncode == 0
    next((root / "scheduler_jobs").glob("*/*.parquet")).unlink()
    result = run(root, "sql", "SELECT * FROM jobs")
    assert result.returncode == 3 and "missing" in result.stderr and "verify" in result.stderr


def test_a_damaged_page_is_told_with_its_part(tmp_path: Path) -> None:
    """It passed for a mistake of who asked."""
    root = tmp_path / "c"
    (tmp_path / "a.txt").write_text(SACCT)
    assert run(root, "add", tmp_path / "a.txt").returncode == 0
    part = next((root / "scheduler_jobs").glob("*/*.parquet"))
    content = part.read_bytes()
    part.chmod(0o644)
    part.write_bytes(content[:4] + bytes(byte ^ 255 for byte in content[4:300]) + content[300:])
    result = run(root, "sql", "SELECT * FROM scheduler_jobs")
    assert result.returncode == 3 and str(part) in result.stderr and "verify" in result.stderr
    assert run(root, "sql", "SELECT 'a'::INT").returncode == 2


def test_json_has_no_nan(tmp_path: Path) -> None:
    catalog.create(tmp_path / "c")
    question = "SELECT 'nan'::DOUBLE AS a, [-1 / 0::DOUBLE, 2] AS b, {'x': 'inf'::FLOAT} AS c"
    result = run(tmp_path / "c", "sql", question, "--json")
    assert json.loads(result.stdout, parse_constant=pytest.fail) == [
        {"a": None, "b": [None, 2.0], "c": {"x": None}}
    ]


def test_only_parquet_is_replaced_by_parquet(tmp_path: Path) -> None:
    root = tmp_path / "c"
    (tmp_path / "a.txt").write_text(SACCT)
    run(root, "add", tmp_path / "a.txt")
    thesis, link, pipe = (tmp_path / name for name in ("thesis.tex", "link.parquet", "pipe"))
    thesis.write_text("all of it")
    link.symlink_to("out.parquet")
    os.mkfifo(pipe)
    part = next((root / "scheduler_jobs").glob("*/*.parquet"))
    for target in (thesis, pipe, root / "catalog.json", root / "new.parquet", part, tmp_path):
        result = run(root, "sql", "SELECT 1 AS x", "--parquet", target)
        assert result.returncode == 4 and str(target) in result.stderr and "Traceback" not in result.stderr
    assert thesis.read_text() == "all of it" and run(root, "verify").returncode == 0
    for target in (tmp_path / "out.parquet", tmp_path / "out.parquet", link):
        assert run(root, "sql", "SELECT 1 AS x", "--parquet", target).returncode == 0
    assert link.is_symlink() and len([path for path in tmp_path.iterdir() if path.name[0] == "."]) == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[columns]\njob = 'J'\nstart = 'S'\nuser_name = 'U'\n", "[columns] has 'user_name'"),
        ("[columns]\njob = 'J'\n", "needs 'start'"),
        ("[columns]\njob = 'J'\nstart = 3\n", "of names"),
        ("columns = 3\n", "of names"),
    ],
)
def test_a_map_that_is_none_is_told_before_anything_is_read(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "map.toml").write_text(text)
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "jobs.csv").write_text("J,S\n7,1767265200\n")
    result = run(tmp_path / "c", "add", "--csv-map", tmp_path / "map.toml", tmp_path / "tree")
    assert result.returncode == 2 and says in result.stderr and "map.toml" in result.stderr
    assert not (tmp_path / "c").exists()


def test_a_catalog_in_a_tree_is_told(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    catalog.create(tmp_path / "tree" / "old")
    result = run(tmp_path / "c", "add", tmp_path / "tree")
    assert result.returncode == 0 and "tree/old: is left out: it is a catalog" in result.stderr


def test_ctrl_c_ends_a_long_question(tmp_path: Path) -> None:
    root = tmp_path / "c"
    catalog.create(root)
    words = [sys.executable, "-m", "headrace", "catalog", "--at", str(root), "sql", ENDLESS]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            cpu = Path(f"/proc/{process.pid}/stat")
            while int(cpu.read_text().rsplit(")", 1)[1].split()[11]) < 150:  # ticks: it is at work
                assert process.poll() is None
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert "Traceback" not in said


def test_ctrl_c_that_comes_before_a_question_begins_ends_it_too(tmp_path: Path) -> None:
    connection = catalog.create(tmp_path / "c").connect()
    interrupted = threading.Event()

    def question() -> None:
        time.sleep(0.3)  # who asks waits for the answer
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.3)  # the first call that interrupts is over
        interrupted.set()
        connection.execute(ENDLESS)

    with pytest.raises(KeyboardInterrupt):
        engine.interruptible(connection, question)
    assert interrupted.is_set()


def test_what_another_handler_of_ctrl_c_raises_ends_a_question_too(tmp_path: Path) -> None:
    connection = catalog.create(tmp_path / "c").connect()

    def handler(number: int, frame: object) -> None:
        raise OSError("nobody is there")

    def question() -> None:
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)
        connection.execute(ENDLESS)

    before = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(OSError, match="nobody"):
            engine.interruptible(connection, question)
    finally:
        signal.signal(signal.SIGINT, before)


def test_parts_of_lost_commits_are_kept(tmp_path: Path) -> None:
    root = tmp_path / "c"
    (tmp_path / "a.txt").write_text(SACCT)
    assert run(root, "add", tmp_path / "a.txt").returncode == 0
    parts = sorted(root.glob("**/*.parquet"))
    for part in parts:
        os.utime(part, (0, 0))
    for commit in (root / "commits").glob("*.json"):
        commit.unlink()
    result = run(root, "verify", "--repair")
    assert result.returncode == 3 and "lost: bring commits" in result.stderr
    assert sorted(root.glob("**/*.parquet")) == parts
