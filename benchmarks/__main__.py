"""The command line: ``python -m benchmarks``."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from benchmarks import machine, report
from benchmarks.build import BuildError, compile_programs
from benchmarks.operations import ALL_NAMES
from benchmarks.output import OutputError
from benchmarks.session import Session, measure
from benchmarks.variants import BARE, HEADRACE, HEADRACE_RUN, Place, RunError, Variant, setting

ROOT = Path(__file__).resolve().parent.parent


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="What capture adds to single operations and to whole processes, in alternated runs.",
    )
    parser.add_argument("--library", type=Path, help="the preload library (default: the one in .venv)")
    parser.add_argument(
        "--library-env",
        type=setting,
        action="append",
        default=[],
        metavar="K=V",
        help="set for the library's runs",
    )
    parser.add_argument("--peer", type=Path, help="another preload library, measured in the same rounds")
    parser.add_argument(
        "--peer-env",
        type=setting,
        action="append",
        default=[],
        metavar="K=V",
        help="set for the peer's runs; {scratch} in V is an empty directory that is removed afterwards",
    )
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", help="comma-separated: " + ", ".join(ALL_NAMES))
    parser.add_argument("--directory", type=Path, default=Path("/dev/shm"), help="where the files lie")
    parser.add_argument("--programs", type=Path, help="compiled programs (default: compile them)")
    parser.add_argument("--json", action="store_true", help="print JSON with every figure")
    parser.add_argument("-o", "--output", type=Path, help="also write the Markdown report here")
    return parser


def _names(text: str | None) -> tuple[str, ...]:
    if text is None:
        return ALL_NAMES
    names = tuple(text.split(","))
    unknown = [n for n in names if n not in ALL_NAMES]
    if unknown:
        raise SystemExit(f"--only {', '.join(unknown)}: no such measure; there are {', '.join(ALL_NAMES)}")
    return names


def _preload(path: Path) -> Path:
    if not path.is_file():
        raise SystemExit(f"{path}: no such library")
    return path.resolve()


def _variants(options: argparse.Namespace) -> dict[str, Variant]:
    # Without a launcher the spools of clean runs stay for `headrace collect`: remove them with each run.
    settings = {"HEADRACE_SPOOL": "{scratch}"} | dict(options.library_env)
    installed = ROOT / ".venv" / "lib" / "headrace" / "libheadrace.so"
    launcher = ROOT / ".venv" / "bin" / "headrace"
    variants = [Variant(BARE)]
    if options.library is not None:
        variants.append(Variant(HEADRACE, _preload(options.library), settings=settings))
    elif installed.is_file():
        variants.append(Variant(HEADRACE, installed, settings=settings))
        if launcher.is_file():
            variants.append(Variant(HEADRACE_RUN, prefix=(str(launcher), "run", "--")))
    if options.peer is not None:
        peer = _preload(options.peer)
        variants.append(Variant(peer.name.split(".")[0], peer, settings=dict(options.peer_env)))
    if len(variants) == 1:
        raise SystemExit(f"{installed}: no such library: build it, or give --library or --peer")
    return {v.name: v for v in variants}


def _shown(path: Path) -> str:
    return str(path.relative_to(ROOT)) if ROOT in path.parents else str(path)


def _command(arguments: list[str]) -> str:
    return shlex.join(["python", "-m", "benchmarks", *arguments])


def main(arguments: list[str]) -> int:
    options = _parser().parse_args(arguments)
    names = _names(options.only)
    variants = _variants(options)
    result = report.Result(
        machine.facts(options.directory),
        _command(arguments),
        options.rounds,
        {v.name: _shown(v.library) for v in variants.values() if v.library is not None},
    )
    programs = options.programs or compile_programs(ROOT / "build" / "benchmarks")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("benchmarks: terminated"))  # so that no files stay
    base = Path(tempfile.mkdtemp(prefix=f"headrace-benchmarks-{os.getpid()}-", dir=options.directory))
    try:
        session = Session(names, variants, Place(programs.resolve(), base), options.rounds)
        measure(session, result, tell=lambda text: print(text, file=sys.stderr, flush=True))
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print(report.as_json(result) if options.json else report.markdown(result), end="")
    if options.output is not None:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(report.markdown(result), encoding="utf-8")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (BuildError, OutputError, RunError) as error:
        sys.exit(f"benchmarks: {error}")
