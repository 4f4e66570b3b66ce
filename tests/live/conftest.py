"""What real monitors and forwarding servers say as OpenMetrics."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator

import pytest
from live_tools import HEADRACE, make_root


@pytest.fixture(scope="session")
def monitor_address(
    tmp_path_factory: pytest.TempPathFactory, next_line: Callable[[subprocess.Popen[str]], str]
) -> Iterator[str]:
    place = tmp_path_factory.mktemp("monitor")
    words = [str(HEADRACE), "monitor", "--at", str(place / "store"), "--root", str(make_root(place / "root"))]
    words += ["--interval", "0.2", "--listen", "127.0.0.1:0"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        yield "127.0.0.1:" + next_line(process).rsplit(":", 1)[-1].split("/")[0].split()[-1]
    finally:
        process.terminate()
        process.communicate(timeout=30)


@pytest.fixture(scope="session")
def monitor_text(monitor_address: str) -> str:
    with urllib.request.urlopen(f"http://{monitor_address}/metrics", timeout=30) as answer:
        assert answer.headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")
        text: str = answer.read().decode()
        return text


@pytest.fixture(scope="session")
def server_text(next_line: Callable[[subprocess.Popen[str]], str]) -> Iterator[str]:
    """Of two servers, one of which was used."""
    with tempfile.TemporaryDirectory(prefix="headrace-live-") as directory:
        processes, addresses = [], []
        try:
            for name in ("a", "b"):
                listen = f"unix:{directory}/{name}"
                words = [HEADRACE, "serve", "--root", directory, "--listen", listen]
                processes.append(subprocess.Popen(words, stdout=subprocess.PIPE, text=True))
                addresses.append(next_line(processes[-1]).strip())
            spec = f"/fwd={directory}@{addresses[0]}"
            run = [HEADRACE, "run", "-q", "-o", f"{directory}/job.hr", "--forward", spec, "--"]
            write = "open('/fwd/x', 'w').write('hello')"
            subprocess.run([*run, sys.executable, "-c", write], check=True, timeout=120)
            done = subprocess.run(
                [HEADRACE, "status", "--openmetrics", *addresses],
                capture_output=True, text=True, check=True, timeout=60,
            )  # fmt: skip
            yield done.stdout
        finally:
            for process in processes:
                process.terminate()
                process.communicate(timeout=30)
