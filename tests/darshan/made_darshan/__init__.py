"""Darshan logs made for tests: of every release's format, both byte orders and each compression.

Written from Darshan's format (darshan-util, log formats 3.00 to 3.41) and not from the importer: PyDarshan,
which reads them with Darshan's own library, shows that they are what they should be.
"""

from made_darshan.logs import MADE
from made_darshan.pack import Log, pack

__all__ = ["MADE", "Log", "pack"]
