"""Opens files in children that were forked, and in another interpreter."""

import multiprocessing
import os
import sys


def work(name):
    with open(name, "w") as file:  # LINE: work
        file.write("x")


def in_fork(directory):
    child = os.fork()
    if child == 0:
        work(os.path.join(directory, "forked"))  # LINE: forked
        os._exit(0)
    os.waitpid(child, 0)


if __name__ == "__main__":
    directory = sys.argv[1]
    in_fork(directory)
    for method in ("fork", "spawn"):
        context = multiprocessing.get_context(method)
        child = context.Process(target=work, args=(os.path.join(directory, method),))
        child.start()
        child.join()
    if len(sys.argv) > 2:
        program = "def other():\n    open(__import__('sys').argv[1], 'w').close()\n\nother()"
        os.execv(sys.argv[2], [sys.argv[2], "-c", program, os.path.join(directory, "other")])
