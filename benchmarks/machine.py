"""Facts of the machine that a figure means nothing without."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return "unknown"


def cpu_model(cpuinfo: str) -> str:
    for line in cpuinfo.splitlines():
        key, _, value = line.partition(":")
        if key.strip() in ("model name", "Model", "cpu"):
            return value.strip()
    return platform.machine()


def file_system_type(path: Path, mounts: str) -> str:
    """The type of the file system that holds ``path``, from the text of /proc/mounts."""
    best, kind = "", "unknown"
    for line in mounts.splitlines():
        fields = line.split()
        if len(fields) < 3:
            continue
        point = fields[1].rstrip("/")
        if (str(path) + "/").startswith(point + "/") and len(point) >= len(best):
            best, kind = point, fields[2]
    return kind


def facts(directory: Path) -> dict[str, str]:
    cpuinfo = _read("/proc/cpuinfo")
    count = len(os.sched_getaffinity(0))
    virtual = ", virtual machine" if "hypervisor" in cpuinfo else ""
    return {
        "processor": f"{count} x {cpu_model(cpuinfo)}{virtual}",
        "kernel": platform.release(),
        "C library": " ".join(platform.libc_ver()),
        "clocksource": _read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "files on": file_system_type(directory.resolve(), _read("/proc/mounts")),
        "load at start": " ".join(f"{value:.1f}" for value in os.getloadavg()),
    }
