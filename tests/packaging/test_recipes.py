"""The recipes under packaging/ say what pyproject.toml says."""

from __future__ import annotations

import ast
import re
import sys
from typing import Any

from wheel_tools import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DEBIAN = ROOT / "packaging/debian"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
# Spack has none; its recipe says what is lost.
NOT_IN_SPACK = {"symbolic"}


def floors(requirements: list[str]) -> dict[str, str]:
    """{"pyarrow": "15"} of "pyarrow>=15"."""
    found = [re.match(r"([\w-]+)>=([\d.]+)", requirement) for requirement in requirements]
    assert all(found), requirements
    return {match[1]: match[2] for match in found if match}


def spack_calls(name: str) -> list[str]:
    """First arguments of the calls of this name in the recipe's class."""
    tree = ast.parse((ROOT / "packaging/spack/package.py").read_text(encoding="utf-8"))
    (recipe,) = (node for node in tree.body if isinstance(node, ast.ClassDef))
    assert recipe.name == "Headrace"
    calls = [
        node.value for node in recipe.body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ]
    return [call.args[0].value for call in calls if call.func.id == name]  # type: ignore[attr-defined]


def test_spack_has_the_version_and_the_floors() -> None:
    project = PROJECT["project"]
    assert spack_calls("version") == [project["version"]]
    assert spack_calls("license") == [project["license"]]
    depends = dict([*each.removesuffix(":").split("@"), ""][:2] for each in spack_calls("depends_on"))
    assert f">={depends['python']}" == project["requires-python"]
    assert f">={depends['cmake']}" == PROJECT["tool"]["scikit-build"]["cmake"]["version"]
    wanted = floors(project["dependencies"] + PROJECT["build-system"]["requires"])
    found = {name.removeprefix("py-"): floor for name, floor in depends.items() if name.startswith("py-")}
    assert found == {name: floor for name, floor in wanted.items() if name not in NOT_IN_SPACK}
    assert {"zstd", "zlib-api", "bzip2", "otf2", "libfuse"} <= set(depends)
    assert set(spack_calls("variant")) == {"otf2", "fuse"}


def test_what_spack_leaves_out_is_what_cmake_can_leave_out() -> None:
    text = (ROOT / "cmake/HeadraceLibraries.cmake").read_text(encoding="utf-8")
    assert "find_package(OTF2 QUIET)" in text  # which CMAKE_DISABLE_FIND_PACKAGE_OTF2 turns off by itself
    assert "CMAKE_DISABLE_FIND_PACKAGE_FUSE3" in text


def test_debian_has_the_version_and_the_floors() -> None:
    project = PROJECT["project"]
    changelog = (DEBIAN / "changelog").read_text(encoding="utf-8")
    assert changelog.startswith(f"headrace ({project['version']}) ")
    control = (DEBIAN / "control").read_text(encoding="utf-8")
    found = dict(re.findall(r"^ python3-(\w+) \(>= ([\d.]+)\),$", control, re.M))
    assert found.pop("dev") == project["requires-python"].removeprefix(">=")
    wanted = floors(project["dependencies"])
    assert found == {name: wanted[name] for name in found} and set(found) == {"click", "rich"}
    assert f"cmake (>= {PROJECT['tool']['scikit-build']['cmake']['version'].removeprefix('>=')})" in control
    # What the set-up installs so that the package is built by a test.
    setup = (ROOT / "scripts/setup").read_text(encoding="utf-8")
    build = control.split("Build-Depends:")[1].split("\n\n")[0]
    for package in re.findall(r"^ ([a-z0-9+-]+)", build, re.M):
        assert re.search(rf"\b{re.escape(package.removesuffix('-compat'))}(?![\w-])", setup), package
