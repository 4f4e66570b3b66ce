"""Which records of a log are files."""

# Time in pipes and sockets is mostly waiting for somebody else; excluded paths are counted in one sum.
FILE_KINDS = ["file", "directory_rollup", "directory"]
