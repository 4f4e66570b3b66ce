"""`python -m headrace`."""

import sys

from headrace.commands import main

if __name__ == "__main__":
    sys.exit(main())
