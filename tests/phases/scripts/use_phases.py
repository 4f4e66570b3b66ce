"""Marks phases in every way."""

from __future__ import annotations

import asyncio
import threading

from headrace import phase

with phase("dump"), phase("inner"):
    pass

twice = phase("twice")
with twice, twice:
    pass

try:
    with phase("raises"):
        raise KeyError("raised")
except KeyError:
    pass


@phase("added")
def add(one: int, other: int = 1) -> int:
    """One and another."""
    return one + other


assert add(1, other=2) == 3 and add(1) == 2
assert add.__name__ == "add" and add.__doc__ == "One and another."


@phase("waited")
async def wait(value: int) -> int:
    await asyncio.sleep(0)
    with phase("waited/inside"):
        return value


assert asyncio.run(wait(3)) == 3

with phase("grün"):
    pass
with phase(7):  # type: ignore[arg-type]
    pass

thread = threading.Thread(target=phase("thread")(lambda: None))
thread.start()
thread.join()
print("ended")
