"""Where Java and the simulator are, whether they will do, and what to install where not."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

from harness.errors import ConfigError

FIXED_OPTIONS: tuple[str, ...] = (
    "-XX:+UnlockExperimentalVMOptions",
    "-XX:hashCode=2",
    "--add-opens=java.base/java.util=ALL-UNNAMED",
    "-XX:-UsePerfData",
)
"""Options that are no setting. The simulator walks hash sets keyed by object identity, whose order differs from JVM to
JVM by thread timing; one identity hash for all objects makes it the order of insertion, and games repeat byte for byte.
The opened package lets the state of the simulator's random generator be kept. Without performance data a killed JVM
leaves no file behind."""

_INSTALL_JAVA = "install a Java runtime (Debian, Ubuntu: `apt-get install default-jre-headless`)"


def java() -> str:
    """Return the path of the Java launcher. Raises ConfigError where there is none."""
    found = shutil.which("java")
    if found is None:
        raise ConfigError(f"ScienceWorld runs on Java, and no `java` is on the PATH: {_INSTALL_JAVA}")
    return found


def jar() -> Path:
    """Return the simulator's jar, without importing its package. Raises ConfigError where it is not installed."""
    spec = importlib.util.find_spec("scienceworld")
    folders = (spec.submodule_search_locations if spec else None) or ()
    for folder in folders:
        path = Path(folder) / "scienceworld.jar"
        if path.is_file():
            return path
    raise ConfigError("the package scienceworld is not installed: `pip install scienceworld==1.2.3`")


def classpath() -> str:
    """Return the class path: py4j's server and the simulator."""
    from py4j.java_gateway import find_jar_path

    return os.pathsep.join((find_jar_path(), str(jar())))


@functools.cache
def check() -> None:
    """Make sure that a simulator could be started. Raises ConfigError that says what to install."""
    jar()
    try:
        answer = subprocess.run(
            [java(), *FIXED_OPTIONS, "-version"], capture_output=True, encoding="utf-8", errors="replace", timeout=60
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"`java -version` did not run ({error}): {_INSTALL_JAVA}") from error
    if answer.returncode != 0:
        said = (answer.stderr or answer.stdout).strip().splitlines()[:1]
        raise ConfigError(f"this Java refuses `{' '.join(FIXED_OPTIONS)}` ({''.join(said)}): {_INSTALL_JAVA}")


def digests() -> dict[str, str]:
    """Return the sha256 of the simulator's jar, and its version."""
    with jar().open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"scienceworld.jar": digest, "scienceworld": f"version {metadata.version('scienceworld')}"}
