"""What each release of Darshan writes: the format of its logs, and the version of each module's records.

From the tags of Darshan's repository; a release is here when it changed any of them.
"3.1.0-pre" and "later" are states between and behind tags.
"""

from __future__ import annotations

MODULES = (
    "NULL", "POSIX", "MPI-IO", "H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR", "BG/Q", "LUSTRE", "STDIO",
    "DXT_POSIX", "DXT_MPIIO", "MDHIM", "APXC", "APMPI", "HEATMAP", "DFS", "DAOS",
)  # fmt: skip

_CHANGES: list[tuple[str, str, dict[str, int]]] = [
    ("3.0.1", "3.00", {"POSIX": 1, "MPI-IO": 1, "H5F": 1, "PNETCDF_FILE": 1, "BG/Q": 1}),
    ("3.1.0-pre", "3.10", {"POSIX": 2, "BG/Q": 2, "LUSTRE": 1, "STDIO": 1}),
    ("3.1.0", "3.10", {"POSIX": 3}),
    ("3.1.3", "3.10", {"MPI-IO": 2, "DXT_POSIX": 1, "DXT_MPIIO": 1}),
    ("3.1.8", "3.10", {"POSIX": 4, "MPI-IO": 3, "H5F": 2, "PNETCDF_FILE": 2, "STDIO": 2, "MDHIM": 1}),
    ("3.2.0", "3.20", {"H5F": 3, "H5D": 1, "DXT_MPIIO": 2}),
    ("3.2.1", "3.21", {}),
    ("3.3.0", "3.21", {"H5D": 2}),
    ("3.4.0", "3.21", {"HEATMAP": 1}),
    ("3.4.1", "3.41", {"PNETCDF_FILE": 3, "PNETCDF_VAR": 1}),
    ("3.5.0", "3.41", {"LUSTRE": 2, "APXC": 1, "APMPI": 1, "DFS": 1, "DAOS": 1}),
    ("later", "3.41", {"DXT_POSIX": 2, "DXT_MPIIO": 3}),
]


def _all_of() -> dict[str, tuple[str, dict[str, int]]]:
    releases, versions = {}, {}
    for release, form, changes in _CHANGES:
        versions = versions | changes
        releases[release] = (form, versions)
    return releases


RELEASES = _all_of()


def places(form: str) -> list[str]:
    """Modules by their number in a header of this format."""
    later = ({"H5D"} if form < "3.20" else set()) | ({"PNETCDF_VAR"} if form < "3.41" else set())
    return [module for module in MODULES if module not in later]
