"""`headrace monitor` as it is run: real programs, made counters, killed monitors."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from headrace import samples

HEADRACE = Path(sys.executable).parent / "headrace"


def run(*arguments: object, status: int = 0) -> subprocess.CompletedProcess[str]:
    command = [str(HEADRACE), "monitor", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == status, done.stderr
    return done


def line(device: str, reads: int, major: int = 8) -> str:
    return f"   {major}       0 {device} {reads} 0 {reads * 8} {reads} 0 0 0 0 0 0 {reads} 0 0 0 0 0 0\n"


class Counters:
    """A file in place of /proc/diskstats, changed by one write."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.set(sda=0)

    def set(self, **reads: int) -> None:
        self.write("".join(line(device, count) for device, count in reads.items()))

    def write(self, text: str) -> None:
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT)
        os.pwrite(file, text.rstrip("\n").ljust(399).encode() + b"\n", 0)
        os.close(file)


@pytest.fixture
def counters(tmp_path: Path) -> Counters:
    return Counters(tmp_path / "diskstats")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def started(store: Path, *arguments: object, said: int = subprocess.PIPE) -> subprocess.Popen[str]:
    words = [str(HEADRACE), "monitor", "--at", str(store), "--interval", "0.1", *map(str, arguments)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=said, text=True)


def wait_for(what: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not what():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


def rows_of(store: Path) -> int:
    try:
        return samples.read(store)["samples"].num_rows
    except samples.LogNotFoundError:
        return 0


def ended(process: subprocess.Popen[str], how: signal.Signals) -> str:
    process.send_signal(how)
    _, text = process.communicate(timeout=30)
    return text


def test_the_real_disks_of_this_machine(store: Path) -> None:
    run("--at", store, "--interval", "0.1", "--count", "4", "--include", "*")
    tables = samples.read(store)
    names = {row.split()[2] for row in Path("/proc/diskstats").read_text().splitlines()}
    names = {name for name in names if not Path("/sys/class/block", name, "partition").exists()}
    assert set(tables["samples"]["device"].to_pylist()) <= names
    assert tables["samples"].num_rows >= 3 * len(names) - 3
    assert set(tables["samples"]["boot"].to_pylist()) == {
        Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    }
    assert tables["sample_gaps"]["reason"].to_pylist().count("restart") == 0


def test_sums_are_what_the_counters_grew_by_and_a_signal_takes_a_last_sample(
    store: Path, counters: Counters
) -> None:
    counters.set(sda=100)
    process = started(store, "--diskstats", counters.path)
    wait_for(lambda: rows_of(store) >= 2)
    counters.set(sda=350)
    assert ended(process, signal.SIGTERM) == ""
    assert process.returncode == 0
    table = samples.read(store)["samples"].to_pydict()
    assert sum(table["reads"]) == 250
    assert sum(table["read_bytes"]) == 250 * 8 * 512
    assert (sum(table["read_ms"]), sum(table["queue_ms"])) == (250, 250)
    assert table["start"][1:] == table["end"][:-1]
    assert [path.name.count(".") for path in samples.files(store)] == [1]


def test_kill_loses_at_most_a_sample_each_time(store: Path, counters: Counters) -> None:
    for number in range(5):
        process = started(store, "--diskstats", counters.path)
        before = rows_of(store)
        wait_for(lambda: rows_of(store) >= before + 2)  # noqa: B023
        seen = rows_of(store)
        ended(process, signal.SIGKILL)
        assert rows_of(store) >= seen, number
    run("--at", store, "--count", "1", "--diskstats", counters.path)
    assert all(path.name.endswith("Z-" + path.name[-19:]) for path in samples.files(store))
    problems: list[str] = []
    tables = samples.read(store, problems)
    assert problems == []
    assert tables["sample_gaps"]["reason"].to_pylist().count("restart") == 5
    spans = sorted(
        zip(tables["samples"]["start"].to_pylist(), tables["samples"]["end"].to_pylist(), strict=True)
    )
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(spans))


def test_garbage_and_devices_that_come(store: Path, counters: Counters) -> None:
    counters.set(sda=1)
    process = started(store, "--diskstats", counters.path)
    wait_for(lambda: rows_of(store) >= 1)
    counters.write(line("sda", 5) + "garbage\n" + line("sdb", 7))
    seen = rows_of(store)
    wait_for(lambda: rows_of(store) >= seen + 4)
    assert "1 lines of the kernel's statistics are not understood" in ended(process, signal.SIGINT)
    table = samples.read(store)["samples"]
    assert {"sda", "sdb"} == set(table["device"].to_pylist())
    assert sum(table["reads"].to_pylist()) == 4  # sdb may have been there while the list was not whole


def test_a_full_disk_is_told_and_nothing_is_lost(
    small_tmpfs: Callable[[str], Path], counters: Counters, tmp_path: Path
) -> None:
    place, said = small_tmpfs("200k"), tmp_path / "said"
    counters.set(sda=0)
    with said.open("w") as file:
        process = started(place / "store", "--diskstats", counters.path, said=file.fileno())
    wait_for(lambda: rows_of(place / "store") >= 1)
    filler = place / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                pass
        except OSError:
            pass
    wait_for(lambda: "sampling goes on" in said.read_text())  # a page of the tail had room for some
    counters.set(sda=1000)
    filler.unlink()
    wait_for(lambda: "stored again" in said.read_text())
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) == 0
    tables = samples.read(place / "store")
    assert sum(tables["samples"]["reads"].to_pylist()) == 1000
    assert "lost" in tables["sample_gaps"]["reason"].to_pylist()
    for path in sorted((place / "store").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (place / "store").rmdir()


def test_a_second_monitor_of_the_host_is_refused(store: Path, counters: Counters) -> None:
    process = started(store, "--diskstats", counters.path)
    wait_for(lambda: rows_of(store) >= 1)
    said = run("--at", store, "--diskstats", counters.path, status=2).stderr
    assert f"another monitor writes here (process {process.pid})" in said
    run("--at", store, "--diskstats", counters.path, "--host", "other", "--count", "1")
    ended(process, signal.SIGTERM)
    assert {path.name for path in store.iterdir()} == {"other", os.uname().nodename}


def test_openmetrics_by_http_and_as_a_file(
    store: Path, counters: Counters, tmp_path: Path, next_line: Callable[[subprocess.Popen[str]], str]
) -> None:
    metrics = tmp_path / "headrace.prom"
    counters.set(sda=3)
    process = started(
        store, "--diskstats", counters.path, "--listen", "127.0.0.1:0", "--openmetrics-file", metrics
    )
    port = int(next_line(process).split()[-1])
    wait_for(metrics.exists)
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        assert answer.headers["Content-Type"].startswith("application/openmetrics-text")
        text = answer.read().decode()
    for shown in (text, metrics.read_text()):
        assert 'headrace_device_read_bytes_total{device="sda",kind="block"} 12288\n' in shown
        assert shown.endswith("# EOF\n")
    ended(process, signal.SIGTERM)
    assert not metrics.exists()


def test_openmetrics_of_many_devices_are_whole(
    store: Path, tmp_path: Path, next_line: Callable[[subprocess.Popen[str]], str]
) -> None:
    listed = tmp_path / "diskstats"
    listed.write_text("".join(line(f"sd{number}", number) for number in range(20000)))
    process = started(store, "--diskstats", listed, "--interval", "1", "--listen", "127.0.0.1:0")
    port = int(next_line(process).split()[-1])
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    assert text.endswith("# EOF\n")
    assert 'headrace_device_reads_total{device="sd19999",kind="block"} 19999\n' in text
    ended(process, signal.SIGTERM)


def get(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
        return str(answer.read().decode())


def listening(
    store: Path, next_line: Callable[[subprocess.Popen[str]], str], *arguments: object
) -> tuple[subprocess.Popen[str], int]:
    process = started(store, *arguments, "--listen", "127.0.0.1:0")
    return process, int(next_line(process).split()[-1])


def test_a_client_that_says_nothing_holds_nobody_up(
    store: Path, counters: Counters, next_line: Callable[[subprocess.Popen[str]], str]
) -> None:
    process, port = listening(store, next_line, "--diskstats", counters.path)
    with contextlib.ExitStack() as silent:
        for _ in range(3):
            silent.enter_context(socket.create_connection(("127.0.0.1", port)))
        before = rows_of(store)
        assert get(port).endswith("# EOF\n")
        assert rows_of(store) > before + 5  # it took a second each, and samples went on
    ended(process, signal.SIGTERM)


def test_clients_that_come_all_the_time_do_not_keep_it_from_ending(
    store: Path, tmp_path: Path, next_line: Callable[[subprocess.Popen[str]], str]
) -> None:
    listed = tmp_path / "diskstats"
    listed.write_text("".join(line(f"sd{number}", number) for number in range(5000)))
    process, port = listening(store, next_line, "--diskstats", listed, "--interval", "5")
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            with contextlib.suppress(OSError):
                get(port)

    clients = [threading.Thread(target=ask) for _ in range(8)]
    for client in clients:
        client.start()
    try:
        time.sleep(0.5)
        ended(process, signal.SIGTERM)
    finally:
        done.set()
        process.kill()
        for client in clients:
            client.join()


def test_without_a_descriptor_for_a_client_it_waits(
    store: Path, counters: Counters, next_line: Callable[[subprocess.Popen[str]], str]
) -> None:
    process, port = listening(store, next_line, "--diskstats", counters.path)
    wait_for(lambda: rows_of(store) > 0)
    used = max(int(path.name) for path in Path(f"/proc/{process.pid}/fd").iterdir()) + 1
    before = resource.prlimit(process.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (used, before[1]))
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
        began = cpu_seconds(process.pid)
        time.sleep(1.5)
        assert cpu_seconds(process.pid) - began < 0.5
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, before)
        client.settimeout(20)
        assert client.recv(100).startswith(b"HTTP/1.1 200 OK")
    ended(process, signal.SIGTERM)


def cpu_seconds(pid: int) -> float:
    user, system = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def test_what_nohup_has_ignored_stays_ignored(store: Path, counters: Counters) -> None:
    words = [
        "nohup",
        str(HEADRACE),
        "monitor",
        "--at",
        store,
        "--interval",
        "0.1",
        "--diskstats",
        counters.path,
    ]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: rows_of(store) > 0)
    process.send_signal(signal.SIGHUP)
    seen = rows_of(store)
    wait_for(lambda: rows_of(store) > seen + 3)
    ended(process, signal.SIGTERM)


def test_closed_streams_are_none_of_its_files(store: Path, counters: Counters) -> None:
    counters.write(line("sda", 1) + "what is this\n")  # which is told
    words = f'exec "{HEADRACE}" monitor --at "$0" --interval 0.1 --count 3 --diskstats "$1" <&- >&- 2>&-'
    subprocess.run(["bash", "-c", words, store, counters.path], check=True, timeout=60)
    assert rows_of(store) == 2
    for path in store.rglob("*"):
        assert path.is_dir() or b"headrace monitor:" not in path.read_bytes()


def test_a_link_in_place_of_the_partial_metrics_leads_nowhere(
    store: Path, counters: Counters, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    kept.write_text("dear")
    metrics = tmp_path / "headrace.prom"
    process = started(store, "--diskstats", counters.path, "--openmetrics-file", metrics)
    wait_for(metrics.exists)
    link = tmp_path / "link"
    for _ in range(50):
        link.symlink_to(kept)
        link.rename(tmp_path / "headrace.prom.partial")
        time.sleep(0.01)
    ended(process, signal.SIGTERM)
    assert kept.read_text() == "dear"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name the store with --at DIR"),
        (["--at", "x", "--interval", "0.01"], "no number of seconds from 0.1 to 3600"),
        (["--at", "x", "--listen", "0.0.0.0:1"], "neither 127.0.0.1:PORT nor [::1]:PORT"),
        (["--at", "x", "--keep-days", "0"], "no number from 1 to 36500"),
        (["--at", "x", "--nonsense"], "there is no option --nonsense"),
        (["elsewhere"], "name the store with --at DIR"),
    ],
)
def test_mistakes_are_told(arguments: list[str], said: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [HEADRACE, "monitor", *arguments], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 2
    assert said in done.stderr


def test_lustre_servers_and_their_jobs(store: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    target = root / "proc/fs/lustre/obdfilter/fs-OST0000"
    target.mkdir(parents=True)
    (root / "proc/diskstats").write_text("")
    server = root / "sys/kernel/debug/lustre/mdt/fs-MDT0000"
    server.mkdir(parents=True)

    def put(count: int) -> None:
        texts = {
            target / "stats": f"snapshot_time 1.5 secs.usecs\n"
            f"write_bytes {count:6} samples [bytes] 1 9 {count * 4096:9}\n",
            target / "job_stats": "job_stats:\n- job_id: dd.0\n"
            f"  write_bytes: {{ samples: {count:6}, unit: bytes, min: 1, max: 9, sum: {count * 4096:9} }}\n",
            server / "md_stats": f"open {count:6} samples [reqs]\n",
        }
        for path, text in texts.items():
            with path.open("r+" if path.exists() else "w") as file:
                file.write(text)

    put(1)
    process = started(store, "--root", root)
    wait_for(lambda: rows_of(store) >= 2)
    put(101)
    ended(process, signal.SIGTERM)
    tables = samples.read(store)
    written = {"lustre_ost": 0, "lustre_mdt": 0}
    metadata = dict(written)
    for row in tables["samples"].to_pylist():
        written[row["kind"]] += row["write_bytes"]
        metadata[row["kind"]] += row["metadata"]
        assert row["busy_ms"] is None
        assert row["queue_ms"] is None
    assert written == {"lustre_ost": 409600, "lustre_mdt": 0}
    assert metadata == {"lustre_ost": 0, "lustre_mdt": 100}
    jobs = tables["server_jobs"].to_pylist()
    assert {row["job"] for row in jobs} == {"dd.0"}
    assert sum(row["write_bytes"] for row in jobs) == 409600


def test_show_and_export(store: Path, counters: Counters, tmp_path: Path) -> None:
    counters.set(sda=0)
    process = started(store, "--diskstats", counters.path, "--host", "oss1")
    wait_for(lambda: rows_of(store) >= 2)
    counters.set(sda=512)
    ended(process, signal.SIGTERM)
    shown = json.loads(run("show", store, "--json").stdout)
    (device,) = shown["devices"]
    assert (device["host"], device["device"], device["reads"]) == ("oss1", "sda", 512)
    assert device["read_bytes"] == 512 * 8 * 512
    assert "oss1 sda" in run("show", store).stdout
    assert json.loads(run("show", store, "--json", "--until", "2020-01-01").stdout)["devices"] == []
    placed = tmp_path / "map.csv"
    placed.write_text("host,device,server,file_system\noss*,sd*,server1,scratch\n")
    (row,) = json.loads(run("show", store, "--json", "--map", placed).stdout)["devices"]
    assert (row["host"], row["device"]) == ("server1", "scratch")
    placed.write_text('host,device,server,file_system\n"oss*,sd*,server1,scratch\noss2,*,a,b\n')
    assert "cannot be read" in run("show", store, "--map", placed, status=2).stderr
    import pyarrow.csv
    import pyarrow.parquet

    run("export", store, "--parquet", tmp_path / "a.parquet")
    run("export", store, "--csv", tmp_path / "a.csv")
    table = pyarrow.parquet.read_table(tmp_path / "a.parquet")
    assert table.equals(samples.read(store)["samples"])
    assert pyarrow.csv.read_csv(tmp_path / "a.csv").num_rows == table.num_rows
    assert "exists already" in run("export", store, "--csv", tmp_path / "a.csv", status=4).stderr
