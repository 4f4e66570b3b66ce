"""Opens files from every kind of Python code; the name of each file says which."""

import os
import sys
import threading

directory = sys.argv[1]


def open_one(name):
    with open(os.path.join(directory, name), "w") as file:  # LINE: open_one
        file.write("x")


class Grid:
    def dump(self, name):
        file = open(  # LINE: method
            os.path.join(directory, name),
            "w",
        )
        file.close()

    class Inner:
        @staticmethod
        def dump(name):
            os.close(os.open(os.path.join(directory, name), os.O_CREAT | os.O_WRONLY))  # LINE: inner


def generator(name):
    yield open(os.path.join(directory, name), "w")  # LINE: generator


def recurse(depth):
    if depth == 0:
        open_one("recursion")
    else:
        recurse(depth - 1)  # LINE: recursion


def grün(name):
    open(os.path.join(directory, name), "w").close()  # LINE: unicode


open_one("function")  # LINE: function
Grid().dump("method")
Grid.Inner.dump("inner")
(lambda name: open(os.path.join(directory, name), "w").close())("lambda")  # LINE: lambda
for file in generator("generator"):
    file.close()
[open(os.path.join(directory, name), "w").close() for name in ["comprehension"]]  # LINE: comprehension
thread = threading.Thread(target=open_one, args=("thread",))
thread.start()
thread.join()
exec("\n\nopen(os.path.join(directory, 'string'), 'w').close()")
exec(compile("open(os.path.join(directory, 'named'), 'w').close()", "/decks/input.deck", "exec"))
for number in range(4):  # code that takes the place of code before it
    source = f"open(os.path.join(directory, 'made{number}'), 'w').close()"
    exec(compile("\n" * number + source, f"/decks/{number}.deck", "exec"))
recurse(100)
grün("unicode")
try:
    raise RuntimeError
except RuntimeError:
    open_one("handler")
finally:
    open_one("finally")
sys.path.insert(0, os.path.join(directory, "site-packages"))
import library  # noqa: E402  a package that was installed

library.save(os.path.join(directory, "by library"))  # LINE: library
with open(os.path.join(directory, "sizes"), "wb", buffering=0) as file:
    file.write(b"x" * 10)
    file.write(b"x" * 100_000)  # LINE: largest
