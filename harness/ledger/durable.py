"""Writes that survive a kill and a power cut. Every byte of a run folder goes through here or through SQLite."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from pathlib import Path


def on_boundary(name: str) -> None:
    """Mark a point between two durable steps; a no-op that crash tests replace, to count and to kill."""


def fsync_folder(folder: Path) -> None:
    """Make the folder's own entries durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def fsync_tree(folder: Path) -> None:
    """Make every file and folder below, and the folder itself, durable."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir():
            fsync_folder(path)
        else:
            with path.open("rb") as file:
                os.fsync(file.fileno())
    fsync_folder(folder)


def atomic_write(path: Path, text: str) -> None:
    """Replace a file by new text; a reader or a crash sees the old or the new one, never a part."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.aside")
    on_boundary(f"write:{path.name}")
    try:
        with aside.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        on_boundary(f"replace:{path.name}")
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
    fsync_folder(path.parent)
    on_boundary(f"replaced:{path.name}")


def append_line(path: Path, line: str) -> None:
    """Append one line by a single write and make it durable. A crash can tear only this line."""
    if "\n" in line:
        raise ValueError("a ledger line holds no newline")
    on_boundary(f"append:{path.name}")
    new = not path.exists()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        data = f"{line}\n".encode()
        written = os.write(handle, data)
        while written < len(data):
            written += os.write(handle, data[written:])
        on_boundary(f"written:{path.name}")
        os.fsync(handle)
    finally:
        os.close(handle)
    if new:
        fsync_folder(path.parent)
    on_boundary(f"appended:{path.name}")


def tree_digest(folder: Path) -> str:
    """Return sha256 over the names and bytes of all files below a folder."""
    total = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        name = path.relative_to(folder).as_posix().encode()
        content = path.read_bytes()
        total.update(len(name).to_bytes(8, "big") + name + len(content).to_bytes(8, "big") + content)
    return total.hexdigest()


def locked(handle: int) -> bool:
    """Lock an open file for as long as it stays open; return whether it could be had."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def remove_tree(folder: Path) -> None:
    """Remove a folder if it is there."""
    if folder.exists():
        shutil.rmtree(folder)
