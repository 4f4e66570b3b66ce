"""Programs that are themselves below the prefix, and what new processes are started with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from forward_tools import Place
from side_by_side import both

EXECUTED = """
mkdir bin; cp /bin/cat bin/kitten; echo hallo > data
printf '#!/bin/sh\\necho script "$0" "$@"\\n' > bin/script
printf "#! $AT/bin/kitten -n  \\nline\\n" > bin/numbered
printf "#!$AT/bin/numbered\\nline\\n" > bin/twice
printf 'echo text "$@"\\n' > bin/text
printf '#!/none/there\\n' > bin/lost
printf "#!$AT/bin/loop\\n" > bin/loop
printf '#!\\n' > bin/nothing
chmod +x bin/*
printf 'echo unreadable\\n' > bin/plain
ln -s script bin/link
bin/kitten data; $AT/bin/kitten < data; bin/script 1 '2 3'; $AT/bin/link 4; bin/numbered data
bin/twice; bin/text 5
(PATH=$AT/bin:$PATH; kitten data; script 6; env script 7; env -i PATH=$AT/bin script 8)
(cd bin; PATH=.:$PATH; kitten ../data; ./script 9; env script 10)
env -C $AT/bin ./script 11
find . -name data -exec bin/kitten {} +
find bin -name link -execdir ./script {} ';'
(cd /; exec -a other $AT/bin/kitten $AT/data)
for each in lost plain loop bin none; do
    env bin/$each 2> error && exit 1; echo $? $(sed 's/.*: //' error)
done
mv bin/kitten bin/cat; bin/cat data; rm -r error bin
"""


def test_programs_below_the_prefix(place: Place, tmp_path: Path) -> None:
    both(place, tmp_path, EXECUTED)


SPAWNED = """
mkdir dir; cp /bin/cat dir/kitten; echo hallo > input
printf '#!/bin/sh\\nIFS= read -r first < "$0"; echo "$first $0 $1"; read line; echo "$line"\\n' > dir/program
chmod +x dir/program
{program} $AT < input; cat out
"""


def test_spawned_with_files_and_directories(place: Place, tmp_path: Path) -> None:
    program = tmp_path / "spawn"
    source = Path(__file__).parent / "programs" / "spawn.c"
    subprocess.run(["cc", "-O1", source, "-o", program], check=True, timeout=60)
    both(place, tmp_path, SPAWNED.format(program=program))


KEPT = """
import os, sys
at = sys.argv[1]
if len(sys.argv) == 2:
    fd = os.open(at + "/kept", os.O_RDWR | os.O_CREAT)
    os.write(fd, b"0123456789"); os.lseek(fd, 3, os.SEEK_SET); os.set_inheritable(fd, True)
    other = os.open(at + "/kept", os.O_RDONLY)
    log = os.open(at + "/log", os.O_WRONLY | os.O_CREAT | os.O_APPEND); os.dup2(log, 1)
    os.execv(sys.executable, [sys.executable, "-c", sys.orig_argv[2], at, str(fd), str(other)])
fd, other = map(int, sys.argv[2:])
try: os.read(other, 1); raise SystemExit("not closed")
except OSError as e: assert e.errno == 9
assert os.read(fd, 3) == b"345"
if os.fork() == 0:
    assert os.read(fd, 2) == b"67"; os._exit(0)
assert os.wait()[1] == 0 and os.lseek(fd, 0, os.SEEK_CUR) == 8 and os.read(fd, 9) == b"89"
os.write(fd, b"more")
print("appended by", os.readlink("/proc/self/fd/1"), os.path.realpath("/dev/stdout"))
sys.stdout.flush()
sys.stderr.write(open("/proc/self/fd/1").read())
"""


def test_descriptors_and_positions_survive_exec(place: Place, tmp_path: Path) -> None:
    one, two, direct = both(
        place, tmp_path, f"{sys.executable} -c '{KEPT}' $AT; sync kept; sed s,$AT,at, log; rm log"
    )
    assert one.stderr.replace(str(direct), "/fwd") == two.stderr
    assert (place.root / "kept").read_text() == "0123456789more"


VFORKED = """
import fcntl, os, subprocess
os.chdir("/fwd")
with open("script", "w") as f: f.write("#!/bin/sh\\nexit 3\\n")
os.chmod("script", 0o755)
file = os.open("file", os.O_RDWR | os.O_CREAT)
fcntl.lockf(file, fcntl.LOCK_EX)
before = os.listdir("/proc/self/fd")
for each in range(5):
    for close in (True, False):
        assert subprocess.run(["./script"], close_fds=close).returncode == 3
        assert os.write(file, b"x") == 1
assert len(os.listdir("/proc/self/fd")) == len(before)
"""


def test_children_of_vfork_leave_the_parents_connection(place: Place) -> None:
    """They close its descriptor before they execute, and have the memory that says which one it is."""
    place.python(VFORKED)
