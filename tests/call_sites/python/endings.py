"""I/O where an interpreter is about to end, is interrupted, or runs another one."""

import atexit
import faulthandler
import os
import signal
import sys
import threading
import time

directory = sys.argv[1]


class Late:
    def __del__(self):
        os.close(os.open(directory + "/deleted", os.O_CREAT | os.O_WRONLY))


def at_end():
    open(directory + "/atexit", "w").close()  # LINE: atexit


def handler(number, frame):
    open(directory + "/signal", "w").close()  # LINE: signal


def run_on():
    for number in range(1000):
        with open(f"{directory}/daemon{number}", "w") as file:
            file.write("x")
        time.sleep(0.0005)


late = Late()
atexit.register(at_end)
signal.signal(signal.SIGUSR1, handler)
os.kill(os.getpid(), signal.SIGUSR1)
for _ in range(3):
    threading.Thread(target=run_on, daemon=True).start()
trace = open(directory + "/trace", "w")
faulthandler.dump_traceback_later(0.01, file=trace)
time.sleep(0.05)
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    interpreters = None
if interpreters and sys.version_info < (3, 13):
    inner = interpreters.create()
    interpreters.run_string(inner, f"open({directory + '/inner'!r}, 'w').close()")
    interpreters.destroy(inner)
open(directory + "/main", "w").close()  # LINE: main
