"""`headrace status --openmetrics` as a strict parser takes it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from forward_tools import NATIVE, Place, Servers
from prometheus_client.openmetrics.parser import text_string_to_metric_families as strict


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [NATIVE, "status", "--openmetrics", *words], capture_output=True, text=True, check=False, timeout=60
    )


def test_several_servers_are_one_text(servers: Servers, tmp_path: Path) -> None:
    started = [servers.start("--root", tmp_path, name=name, tcp=False) for name in ("a", "b", 'c"d')]
    addresses = [each.addresses[0] for each in started]
    done = run(*addresses, addresses[0])
    assert done.returncode == 0, done.stderr
    families = list(strict(done.stdout))
    names = [family.name for family in families]
    assert len(set(names)) == len(names) > 20
    for family in families:
        assert family.documentation
        assert {sample.labels["server"] for sample in family.samples} <= set(addresses)
    by_name = {family.name: family for family in families}
    held = [sample.labels["server"] for sample in by_name["headrace_forward_held_bytes"].samples]
    assert held == addresses
    assert [sample.value for sample in by_name["headrace_forward_up"].samples] == [1, 1, 1]


def test_a_silent_server_is_down_and_the_others_are_there(servers: Servers, tmp_path: Path) -> None:
    one, two = (servers.start("--root", tmp_path, name=name, tcp=False) for name in ("a", "b"))
    addresses = [one.addresses[0], two.addresses[0]]
    two.end()
    done = run(*addresses)
    assert done.returncode == 1
    up = next(family for family in strict(done.stdout) if family.name == "headrace_forward_up")
    assert {sample.labels["server"]: sample.value for sample in up.samples} == {
        addresses[0]: 1,
        addresses[1]: 0,
    }
    done = run(addresses[1])
    assert done.returncode == 1
    assert [family.name for family in strict(done.stdout)] == ["headrace_forward_up"]


def test_calls_are_by_server_and_operation(place: Place) -> None:
    place.python("open('/fwd/x', 'w').write('hello')")
    done = run(place.server.addresses[0])
    calls = next(family for family in strict(done.stdout) if family.name == "headrace_forward_calls")
    assert {"server", "operation"} == set(calls.samples[0].labels)
    assert sum(sample.value for sample in calls.samples) > 2
