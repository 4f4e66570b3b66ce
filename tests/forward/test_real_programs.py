"""Real programs do the same below a prefix as they do directly."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from forward_tools import Place, Result, Servers
from side_by_side import both

GIT = {
    "GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_COUNT": "5",
    "GIT_CONFIG_KEY_0": "user.name",
    "GIT_CONFIG_VALUE_0": "A",
    "GIT_CONFIG_KEY_1": "user.email",
    "GIT_CONFIG_VALUE_1": "a@b.c",
    "GIT_CONFIG_KEY_2": "init.defaultBranch",
    "GIT_CONFIG_VALUE_2": "main",
    "GIT_CONFIG_KEY_3": "init.templateDir",
    "GIT_CONFIG_VALUE_3": "",
    "GIT_CONFIG_KEY_4": "gc.auto",
    "GIT_CONFIG_VALUE_4": "0",
}


def test_cp_and_tar(place: Place, tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "deep" / "er").mkdir(parents=True)
    (source / "deep" / "er" / "noise").write_bytes(os.urandom(1_500_000))
    (source / "text").write_text("hallo\n")
    (source / "run").write_text("#!/bin/sh\n")
    (source / "run").chmod(0o755)
    (source / "link").symlink_to("deep/er")
    script = f"""
        cp -rp {source} copied; mkdir out; tar cf all.tar --mtime=@0 -C copied .; tar xpf all.tar -C out
        (cd copied && tar cf - deep) | (mkdir piped && cd piped && tar xf -)
        cp -r copied/. again; diff -r copied out; tar tf all.tar | sort; mv again/deep moved; rm -r again
        rm all.tar"""
    both(place, tmp_path, script)


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
def test_git(place: Place, tmp_path: Path) -> None:
    script = """
        git init -q repo; cd repo; echo one > a; mkdir d; seq 5000 > d/b; git add .; git commit -qm first
        echo two >> a; git status --short; git diff; git commit -qam second; git log --format='%H %s'
        git branch side; git checkout -q side; git mv a c; git commit -qm third; git checkout -q main
        git merge -q side; git log --oneline; git fsck; git gc -q
        cd ..; git clone -q --no-hardlinks repo clone; cd clone; git log --oneline; git status --short; wc d/b
        cd ..; rm -rf repo clone"""
    both(place, tmp_path, script, **GIT)


SQLITE = """
import os, sqlite3, sys
ROUNDS = int(sys.argv[2])
path = sys.argv[1] + "/data.db"
base = sqlite3.connect(path, timeout=30)
base.execute("create table t (who integer, number integer)")
base.commit()
base.close()
children = []
for who in range(3):
    child = os.fork()
    if child == 0:
        base = sqlite3.connect(path, timeout=30)
        for number in range(ROUNDS):
            with base:
                base.execute("begin immediate")
                [count] = base.execute("select count(*) from t").fetchone()
                base.execute("insert into t values (?, ?)", (who, count))
        base.close()
        os._exit(0)
    children.append(child)
assert all(os.waitpid(child, 0)[1] == 0 for child in children)
base = sqlite3.connect(path)
print(base.execute("select count(*), count(distinct number), max(number) from t").fetchone())
print(base.execute("pragma integrity_check").fetchone())
"""


def test_sqlite_keeps_processes_apart(place: Place) -> None:
    done = place.run(sys.executable, "-c", SQLITE, "/fwd", "20")
    assert done.stdout == "(60, 60, 59)\n('ok',)\n"
    path = str(place.root / "data.db")
    checked = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute('select count(*) from t'))",
            path,
        ],
        check=True,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert checked.stdout == "(60,)\n"


HDF5 = """
import h5py, numpy, sys
path = sys.argv[1] + "/data.h5"
noise = numpy.random.default_rng(1).random((300, 400))
with h5py.File(path, "w") as f:
    f.create_dataset("g/plain", data=noise)
    f.create_dataset("g/packed", data=noise, chunks=(50, 50), compression="gzip")
    f["g"].attrs["text"] = "words"
    try: h5py.File(path, "r", locking=True); raise SystemExit("opened what is being written")
    except OSError: pass
with h5py.File(path, "a") as f:
    f["g/plain"][7, 9] = 5
    f["late"] = numpy.arange(1000)
with h5py.File(path, "r") as f, h5py.File(path, "r") as again:
    noise[7, 9] = 5
    assert (f["g/plain"][...] == noise).all() and (again["g/packed"][:5] == noise[:5]).all()
    print(sorted(f), f["late"][999], f["g"].attrs["text"])
"""


STDIO = """
import h5py, sys
for _ in range(2):
    with h5py.File(sys.argv[1], "w", driver="stdio") as f: f["d"] = list(range(1000))
with h5py.File(sys.argv[1], "r", driver="stdio") as f: print(f["d"][999])
"""


def test_h5py_on_streams(place: Place, tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    program = tmp_path / "program.py"
    program.write_text(STDIO)
    both(place, tmp_path, f"{sys.executable} {program} $AT/file.h5")


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_node(place: Place, tmp_path: Path) -> None:
    """Which asks for attributes by the number of statx."""
    text = "const fs = require('fs'); const p = process.argv[1] + '/file'; fs.writeFileSync(p, 'hello');"
    text += " fs.appendFileSync(p, ' world'); console.log(fs.statSync(p).size, fs.readFileSync(p, 'utf8'));"
    both(place, tmp_path, f'node -e "{text}" $AT')


def test_h5py(place: Place, tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    direct = subprocess.run(
        [sys.executable, "-c", HDF5, tmp_path], check=True, capture_output=True, text=True, timeout=60
    )
    assert place.run(sys.executable, "-c", HDF5, "/fwd").stdout == direct.stdout
    assert (place.root / "data.h5").read_bytes() == (tmp_path / "data.h5").read_bytes()


@pytest.mark.parametrize("suite", ["test.test_file", "test.test_fileio", "test.test_tarfile.CreateTest"])
def test_tests_of_python(place: Place, tmp_path: Path, suite: str) -> None:
    """They work in the current directory."""
    pytest.importorskip(suite.split(".")[0] + "." + suite.split(".")[1])
    words = f"import os, sys, unittest; os.chdir(sys.argv[1]); unittest.main('{suite}', argv=['x'])"
    direct = subprocess.run(
        [sys.executable, "-c", words, tmp_path], check=False, capture_output=True, text=True, timeout=60
    )
    forwarded = place.run(sys.executable, "-c", words, "/fwd", check=False)
    assert (forwarded.returncode, last(forwarded)) == (direct.returncode, last(direct)), forwarded.stderr


def last(done: Result) -> str:
    return done.stderr.strip().rsplit("\n", 1)[-1]


def test_over_tcp_and_with_several_servers(servers: Servers, tmp_path: Path) -> None:
    place = Place(servers, tmp_path, servers_over_tcp=2)
    script = (
        "mkdir a; cd a; for i in 1 2 3 4 5 6 7 8; do echo $i > f$i; done; cat f*; ls; tar cf ../t . ; rm ../t"
    )
    both(place, tmp_path, script)
    done = place.run(sys.executable, "-c", SQLITE, "/fwd", "3")
    assert done.stdout == "(9, 9, 8)\n('ok',)\n"
