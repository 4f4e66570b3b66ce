"""With --pseudonyms nothing that a site calls its own is in any output, whatever the figure."""

from __future__ import annotations

import base64
import gzip
import re
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from click.testing import CliRunner
from headrace.commands.study import command
from headrace.facility import load_preset, make_plan
from headrace.facility.generate import write_catalog
from headrace.facility.settings import Settings

PRESET = load_preset("intrepid")
LARGE = ["--min-processes", "16", "--min-bytes", "1MiB", "--top", "100"]


def made(path: Path, seed: int) -> Path:
    preset = {**PRESET, "name": f"intrepid{seed}"}
    write_catalog(make_plan(preset, Settings(200, seed, 64)), path, "slurm", 2, 3000, lambda *_: None)
    return path


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    directory = tmp_path_factory.mktemp("pseudonyms")
    return made(directory / "kiosk", 1), made(directory / "lodge", 2)


def names(seed: int) -> set[str]:
    """Of projects, users, programs, paths, hosts, file systems, ceilings and what the calendar says."""
    known = {
        f"intrepid{seed}",
        "intrepid-fs0",
        "intrepid-pvfs",
        "server000",
        "server001",
        "login1",
        "boot000",
    }
    known |= {ceiling["name"] for ceiling in PRESET["ceilings"]} | {
        ceiling["text"] for ceiling in PRESET["ceilings"]
    }
    known |= {text for *_, text in PRESET["samples"]["maintenance"]} | {"samples were lost", "kiosk", "lodge"}
    for job in make_plan(PRESET, Settings(200, seed, 64)).jobs():
        known |= {job.user, f"/soft/{job.program}", f'"{job.program}"', f"{job.number}.hr", f'"{job.number}"'}
        known |= {job.project, "/soft/", PRESET["mount"]}
    return {
        name for name in known if name not in ("scheduled", "storage", "network", "file system")
    }  # words of any page


def outputs(directory: Path) -> dict[str, str]:
    """Texts of all files; of Parquet its cells and what is said about them."""
    found = {}
    for path in sorted(directory.rglob("*")):
        if path.suffix == ".parquet":
            table = pyarrow.parquet.read_table(path)
            cells = "\n".join(f'"{cell}"' for column in table.columns for cell in column.to_pylist())
            found[path.name] = f"{table.schema.to_string(show_schema_metadata=True)}\n{cells}"
        elif path.is_file():
            found[path.name] = path.read_text(encoding="utf-8")
        if path.suffix == ".html":
            packed = max(re.findall(r"H4sI[A-Za-z0-9+/=\s]+", found[path.name]), key=len)
            found["payload"] = gzip.decompress(base64.b64decode(packed)).decode("utf-8", "replace")
    return found


@pytest.mark.parametrize(
    "compared", [[], ["--compare"], ["--compare-period"]], ids=["one", "sites", "periods"]
)
def test_no_name_is_in_any_output(places: tuple[Path, Path], tmp_path: Path, compared: list[str]) -> None:
    against = {"--compare": str(places[1]), "--compare-period": "2010-02-15..2010-04-01"}
    asked = [
        "--at",
        str(places[0]),
        *LARGE,
        "--pseudonyms",
        *(part for each in compared for part in (each, against[each])),
    ]
    arguments = [*asked, "-o", str(tmp_path / "study.html"), "--figures", str(tmp_path / "figures"), "--json"]
    done = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    (tmp_path / "study.json").write_text(done.output)
    (tmp_path / "study.txt").write_text(CliRunner().invoke(command, asked, catch_exceptions=False).output)
    texts = outputs(tmp_path)
    assert len(texts) > 60
    assert "Project 1" in texts["payload"]
    for name in names(1) | names(2):
        assert [file for file, text in texts.items() if name in text] == [], name


def test_without_pseudonyms_the_names_are_there(places: tuple[Path, Path], tmp_path: Path) -> None:
    """So that the test above looks for names that can be found."""
    arguments = [
        "--at",
        str(places[0]),
        *LARGE,
        "--figures",
        str(tmp_path),
        "-o",
        str(tmp_path / "study.html"),
    ]
    assert CliRunner().invoke(command, arguments, catch_exceptions=False).exit_code == 0
    texts = "\n".join(outputs(tmp_path).values())
    for name in (
        "EarthScience",
        "/soft/earth",
        "intrepid-fs0",
        "tree network",
        "intrepid1",
        "control system",
    ):
        assert name in texts, name
