"""What programs do to files by name is done again: calls fail where they failed in the job, nowhere else."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bench_tools import COMMAND, Bench

GIT = """
git init -q r; cd r; git config user.email a@b; git config user.name n
for i in 1 2 3; do seq $((i * 100)) > f$i; git add .; git commit -qm c$i; done
git gc -q; git mv f1 g1; git commit -qm m; git checkout -q -b x; git rm -q f2; git commit -qm d
git clone -q . ../s
"""
COPY = """
mkdir -p a/b; seq 1000 > a/x; ln -s x a/l; ln -s nowhere a/n; ln a/x a/h; touch -d 2020-01-01 a/b/t
cp -a a c; cp -al a d; mv c e; cat e/x e/l > all; rm -r d e
"""
TAR = """
mkdir -p a/b; seq 1000 > a/x; ln -s x a/l; ln a/x a/h
tar cf t.tar a; mkdir o; tar xf t.tar -C o; tar czf t.tgz a; rm -rf o; tar xzf t.tgz
"""
EDIT = """
seq 10 > f; sed -i s/1/2/ f; sed -i.bak s/2/3/ f; sort -o f f; split -l 2 f part
cat part* > g; gzip g; gunzip g.gz
dd if=f of=h bs=10 count=2 conv=fsync; install -m 600 f i; mkfifo p; rm p; mktemp -p .; mktemp -d -p .
"""
SHELL = """
exec 3>log; echo a >&3; (echo b >&3); printf 'one\\ntwo\\n' > h
exec 3>&-; read a < h; while read l; do echo $l >> n; done < h; cp h k; mkdir -p x/y/z; rmdir -p x/y/z
find . -name 'h*' > found; ls -lR > ls; du -a . > du; chmod -R u+w .; diff h k
"""
PYTHON = """
import os, shutil, sqlite3, tempfile
with tempfile.NamedTemporaryFile(dir=".") as file:
    file.write(bytes(1000)); file.flush(); file.seek(0); file.read()
made = tempfile.mkdtemp(dir=".")
open(made + "/a", "w").write("hi")
os.link(made + "/a", made + "/b"); os.symlink("a", made + "/c"); os.replace(made + "/b", made + "/e")
os.chmod(made + "/e", 0o444); os.utime(made + "/a")
assert os.readlink(made + "/c") == "a" and open(made + "/c").read() == "hi"
shutil.copytree(made, "copy", symlinks=True); shutil.move("copy", "moved"); os.listdir("moved")
with tempfile.TemporaryFile(dir=".") as file:
    file.write(b"abc" * 5000); file.seek(3); file.read(10)
shutil.rmtree(made)
base = sqlite3.connect("base")
base.execute("create table t(a)"); base.executemany("insert into t values(?)", [(i,) for i in range(1000)])
base.commit(); base.execute("delete from t where a < 100"); base.commit(); base.close()
"""
JOBS = {
    "git": ["sh", "-e", "-c", GIT],
    "cp": ["sh", "-e", "-c", COPY],
    "tar": ["sh", "-e", "-c", TAR],
    "sed": ["sh", "-e", "-c", EDIT],
    "sh": ["sh", "-e", "-c", SHELL],
    "python3": ["python3", "-I", "-S", "-c", PYTHON],
}


def run_job(directory: Path, command: list[str]) -> Path:
    where = directory / "work"
    where.mkdir()
    log = directory / "job.hr"
    subprocess.run(
        [COMMAND, "run", "--trace", "-q", "-o", str(log), "--", *command],
        cwd=where,
        check=True,
        timeout=100,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    return log


@pytest.mark.parametrize("program", JOBS)
def test_no_call_fails_that_did_not_in_the_job(tmp_path: Path, program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program} here")
    place = tmp_path / "place"
    place.mkdir()
    figures = Bench(place).figures("replay", str(run_job(tmp_path, JOBS[program])), "--fold")
    assert figures["first_different_call"] == ""
    for layer in figures["layers"]:
        for key in ("calls", "errors", "bytes_read", "bytes_written"):
            assert layer["replay"][key] == layer["job"][key], (layer["layer"], key)
    assert list(place.iterdir()) == []


def test_what_is_left_out_is_told_with_its_reason(tmp_path: Path) -> None:
    program = """
import mmap
open("a", "wb").write(bytes(5000))
with open("a", "rb") as file:
    mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
"""
    place = tmp_path / "place"
    place.mkdir()
    figures = Bench(place).figures(
        "replay", str(run_job(tmp_path, [sys.executable, "-I", "-S", "-c", program]))
    )
    left = {row["reason"]: row["calls"] for row in figures["left_out"]}
    assert left["mmap: which pages of mapped memory are read and written is in no trace"] == 1
