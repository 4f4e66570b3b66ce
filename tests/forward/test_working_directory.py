"""A working directory below the prefix, for programs as they are and for what they start."""

from __future__ import annotations

from pathlib import Path

from forward_tools import Place

SHELL = """
set -e
mkdir -p /fwd/a/b/c
cd /fwd/a; pwd; /bin/pwd
mkdir -p b/d/e "b/with space"; echo one > b/d/f; cat ./b/d/f
cd b; pwd; ls; cp -r d d2; cat ../b/d2/f
(cd c && pwd && echo in > inside)
cat c/inside
cd ..; pwd; cd ..; pwd
ln -s a/b link; cd -P link; pwd; cd ../..; pwd
cd ..; pwd; cd /fwd/a/b
ls ../../.. > /dev/null; test -d ../../../usr
rm -r d2; rmdir "with space"; find . -type f | sort
"""
SEEN = """/fwd/a /fwd/a one /fwd/a/b c d with space one /fwd/a/b/c in
/fwd/a /fwd /fwd/a/b /fwd / ./c/inside ./d/f"""


def test_the_shell_works_there(place: Place) -> None:
    for shell in ("bash", "dash"):
        place.run("rm", "-rf", "/fwd/a", "/fwd/link")
        assert place.run(shell, "-c", SHELL).stdout.split() == SEEN.split(), shell


PYTHON = """
import os, subprocess, sys
os.makedirs("/fwd/x/y"); os.chdir("/fwd/x")
assert os.getcwd() == "/fwd/x", os.getcwd()
open("here", "w").write("text"); assert os.stat("/fwd/x/here").st_size == 4
d = os.open("y", os.O_RDONLY); os.fchdir(d)
assert os.getcwd() == "/fwd/x/y"
os.rename("../here", "there"); assert os.listdir() == ["there"]
assert os.path.realpath("there") == "/fwd/x/y/there"
assert os.path.samefile("../../../etc/passwd", "/etc/passwd")
assert os.path.samefile("/fwd/../etc/passwd", "/etc/passwd") and os.path.samefile("/fwd/..", "/")
assert "etc" in os.listdir("/fwd/..") and open("/fwd/d/../../etc/passwd").read(1)
os.symlink("there", "link"); assert os.readlink("link") == "there"
# By fork, by vfork with a directory of its own, and with nothing in the environment.
if os.fork() == 0: os.chdir(".."); os._exit(0 if os.getcwd() == "/fwd/x" else 1)
assert os.wait()[1] == 0 and os.getcwd() == "/fwd/x/y"
def seen(**more):
    return subprocess.run(["/bin/pwd"], capture_output=True, text=True, check=True, **more).stdout
assert seen() == "/fwd/x/y\\n" and seen(cwd="/fwd/x") == "/fwd/x\\n" and seen(cwd="/usr") == "/usr\\n"
assert seen(env={}) == "/fwd/x/y\\n" and os.getcwd() == "/fwd/x/y"
for where, error in (("none", 2), ("there", 20), ("/fwd/none", 2)):
    try: os.chdir(where); raise SystemExit("went to " + where)
    except OSError as e: assert e.errno == error, e
os.chdir("../../../usr"); assert os.getcwd() == "/usr"
try: open("none-there"); raise SystemExit("opened")
except FileNotFoundError: pass
"""


def test_programs_and_what_they_start(place: Place) -> None:
    before = sorted(Path("/dev/shm").glob(".headrace-cwd-*"))
    place.python(PYTHON)
    assert (place.root / "x" / "y" / "there").read_text() == "text"
    assert sorted(Path("/dev/shm").glob(".headrace-cwd-*")) == before
