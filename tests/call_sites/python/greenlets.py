"""Opens a file in a greenlet, called from another."""

import sys

import greenlet


def inner(name):
    open(name, "w").close()  # LINE: greenlet


def outer(name):
    greenlet.greenlet(inner).switch(name)


greenlet.greenlet(outer).switch(sys.argv[1] + "/switched")
open(sys.argv[1] + "/after", "w").close()  # LINE: after
