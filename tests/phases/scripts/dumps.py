"""dumps.py FILE: three dumps of 1000, 2000 and 3000 bytes, each in a phase, and 500 bytes outside of them."""

import sys
from pathlib import Path

import headrace


@headrace.phase("dump")
def dump(size: int) -> None:
    file.write(bytes(size))


with Path(sys.argv[1]).open("wb", buffering=0) as file:
    file.write(bytes(500))
    dump(1000)
    with headrace.phase("dump"):
        file.write(bytes(2000))
    try:
        with headrace.phase("dump"):
            file.write(bytes(3000))
            raise OSError
    except OSError:
        pass
