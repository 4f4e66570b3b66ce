"""One Spark for the whole process: started quietly, in a directory of its own, and ended with the process."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from headrace._errors import MissingPackageError, UsageError
from headrace._packages import install_extra

__all__ = ["first_line", "session", "stop"]

_LOG = "java.log"  # what Java says beside exceptions: told when Spark does not start
_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",  # what overflows is an error
    "spark.sql.variable.substitute": "false",  # "${env:HOME}" in a name is that text
    "spark.sql.runSQLOnFiles": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",  # a part that is lost is an error
    "spark.sql.files.ignoreMissingFiles": "false",
}


class _Running(NamedTuple):
    context: Any  # of pyspark
    gateway: Any  # to its Java
    directory: Path


_lock = threading.Lock()
_running: _Running | None = None


def session(master: str) -> Any:
    """A new session (pyspark.sql.SparkSession) of this process's Spark, or of one that starts at `master`.

    Raises MissingPackageError without pyspark, Ibis or Java, and UsageError where Spark does not start.
    """
    global _running
    try:
        import ibis  # noqa: F401
        from pyspark import SparkContext
        from pyspark.logger import PySparkLogger
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise MissingPackageError(
            f"Spark is asked through {error.name}, which is not installed: {install_extra('spark')}"
        ) from error
    with _lock:
        context = SparkContext._active_spark_context
        if context is None:
            _running = _start(master)
            context = _running.context
        made = SparkSession(context).newSession()
    for key, value in _SETTINGS.items():
        made.conf.set(key, value)
    PySparkLogger.getLogger("SQLQueryContextLogger").disabled = True  # prints what is raised as well
    return made


def stop() -> None:
    """Ends the Spark that was started here; its sessions are of no use then. At exit by itself."""
    global _running
    with _lock:
        if _running is not None:
            with contextlib.suppress(Exception):
                _running.context.stop()
            _end(_running.gateway, _running.directory)
            _running = None


def _start(master: str) -> _Running:
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    home = os.environ.get("JAVA_HOME")
    if shutil.which(str(Path(home, "bin", "java")) if home else "java") is None:
        raise MissingPackageError(
            "Spark needs Java 17 or 21, and there is none in PATH or at JAVA_HOME: install a runtime, in"
            " Debian with: apt-get install openjdk-17-jre-headless"
        )
    directory = Path(tempfile.mkdtemp(prefix="headrace-spark-"))
    conf = SparkConf(loadDefaults=False).setAll(list(_conf(master, directory).items()))
    gateway = None
    try:
        with (directory / _LOG).open("wb") as log:
            # Spark leaves files where it works, so that is a directory which is removed.
            launch: Any = launch_gateway
            gateway = launch(conf, {"cwd": directory, "stdout": log, "stderr": log})
        with _same_ctrl_c():
            context = SparkContext(gateway=gateway, conf=conf)
    except Exception as error:  # of py4j and of Java, which have no base in common
        why = first_line(error) if gateway else _last_words(directory / _LOG)
        _end(gateway, directory)
        raise UsageError(f"Spark does not start at {master!r}: {why}") from error
    atexit.register(stop)
    return _Running(context, gateway, directory)


@contextlib.contextmanager
def _same_ctrl_c() -> Iterator[None]:
    """Spark leaves a handler of SIGINT behind, which asks Java first: without Java that is no Ctrl-C."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def _conf(master: str, directory: Path) -> dict[str, str]:
    everywhere = {
        "spark.master": master,
        "spark.app.name": "headrace",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": str(directory / "warehouse"),
        "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={directory}",
    }
    if not master.startswith("local"):
        return everywhere
    return everywhere | {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.local.dir": str(directory),
        "spark.sql.shuffle.partitions": str(os.cpu_count() or 1),
    }


def _end(gateway: Any, directory: Path) -> None:
    """Java ends when its standard input does."""
    from pyspark import SparkContext

    SparkContext._gateway = SparkContext._jvm = None
    process = getattr(gateway, "proc", None)
    if process is not None:
        with contextlib.suppress(Exception):
            gateway.shutdown()
        process.stdin.close()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    shutil.rmtree(directory, ignore_errors=True)


def first_line(error: Exception) -> str:
    """What an exception of Spark says, without its stack."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


def _last_words(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines()]
    told = [line for line in lines if line and not line.startswith(("at ", "... "))]  # that is the stack
    return told[-1] if told else "Java says nothing"
