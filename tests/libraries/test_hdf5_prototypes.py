"""The prototypes of hdf5.def are those of this machine's HDF5."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from library_tools import package_flags

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from function_lists import Row, read_rows  # noqa: E402

LIST = ROOT / "src" / "intercept" / "hdf5.def"
# Types that travel alike: pointers, numbers and enumerations of one size, unsigned and bool.
COMPARISON = """
#include <hdf5.h>
#include <cstdint>
#include <type_traits>
using Id = int64_t;
using Status = int;
template <typename Ours, typename Theirs>
constexpr bool alike() {
  if (std::is_pointer_v<Theirs>) return std::is_pointer_v<Ours> || std::is_same_v<Ours, uintptr_t>;
  if (std::is_pointer_v<Ours>) return false;
  if (std::is_floating_point_v<Ours> || std::is_floating_point_v<Theirs>) return std::is_same_v<Ours, Theirs>;
  if (std::is_same_v<Theirs, bool>) return std::is_same_v<Ours, unsigned>;
  return sizeof(Ours) == sizeof(Theirs) || (std::is_same_v<Ours, uintptr_t> && std::is_same_v<Theirs, int>);
}
template <typename Ours, typename Theirs> struct Same : std::false_type {};
template <typename R, typename... A, typename S, typename... B> struct Same<R(A...), S(B...)> {
  static constexpr bool parameters() {
    if constexpr (sizeof...(A) == sizeof...(B)) return (alike<A, B>() && ...);
    else return false;
  }
  static constexpr bool value = alike<R, S>() && parameters();
};
"""


def rows() -> list[Row]:
    return read_rows(LIST, ("HDF", "CLOSING"))


def assertion(name: str, returns: str, _: str, parameters: str) -> str:
    return f'static_assert(Same<{returns} {parameters}, decltype(::H5{name})>::value, "H5{name}");'


@pytest.mark.parametrize("package", ["hdf5-serial", "hdf5-openmpi", "hdf5-mpich"])
def test_prototypes(package: str, tmp_path: Path) -> None:
    mpi = {"hdf5-openmpi": ["ompi-c"], "hdf5-mpich": ["mpich"]}.get(package, [])
    flags = [flag for flag in package_flags(package, *mpi) if flag.startswith(("-I", "-D"))]
    source = tmp_path / "compare.cc"
    source.write_text(COMPARISON)
    compiler = ["c++", "-std=c++20", *flags, "-x", "c++"]
    text = subprocess.run([*compiler, "-E", source], capture_output=True, text=True, check=True).stdout
    declared = set(re.findall(r"\b(H5\w+)\s*\(", text))
    compared = [row for row in rows() if "H5" + row.arguments[0] in declared]
    # The rest belongs to later versions or other builds.
    assert len(compared) > 150
    asserts = [assertion(*row.arguments[:4]) for row in compared]
    source.write_text(COMPARISON + "\n".join(asserts) + "\n")
    done = subprocess.run([*compiler, "-fsyntax-only", source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_rows_are_listed_once() -> None:
    names = [row.arguments[0] for row in rows()]
    assert len(names) == len(set(names))
