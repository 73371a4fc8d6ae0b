"""Calls of the py4j protocol over one connection.

py4j's own client sends a command again when an answer fails, which would play an action twice, and writes failures to
the root logger; this one does neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Reference:
    """An object that lives in the JVM."""

    id: str

    def _get_object_id(self) -> str:
        return self.id


class Wire:
    """One connection to a py4j gateway on this machine. Every method raises Py4JError or OSError on failure.

    Args:
        port: Where the gateway listens.
        timeout_s: Seconds until each answer must have arrived.
    """

    def __init__(self, port: int, *, timeout_s: float) -> None:
        from py4j.java_gateway import GatewayConnection, GatewayParameters

        self._connection = GatewayConnection(GatewayParameters(port=port, read_timeout=timeout_s))
        self._connection.start()

    def construct(self, name: str, *arguments: object) -> Reference:
        """Make an object of a Java class."""
        made = self._exchange("i\n", name, *arguments)
        if not isinstance(made, Reference):
            raise TypeError(f"{name} is no Java class: got {made!r}")
        return made

    def call(self, target: Reference | str, method: str, *arguments: object) -> Any:
        """Call a method of an object, or a static one of a class given by name."""
        name = target.id if isinstance(target, Reference) else f"z:{target}"
        return self._exchange("c\n", f"{name}\n{method}", *arguments)

    def release(self, target: Reference) -> None:
        """Let the JVM forget an object."""
        self._connection.send_command(f"m\nd\n{target.id}\ne\n")

    def close(self) -> None:
        """Close the connection; the JVM stays."""
        self._connection.close()

    def _exchange(self, command: str, head: str, *arguments: object) -> Any:
        from py4j import protocol

        parts = "".join(protocol.get_command_part(argument) for argument in arguments)
        answer = self._connection.send_command(f"{command}{head}\n{parts}e\n")
        if protocol.is_error(answer)[0]:
            thrown = answer[2:] if answer[1:2] == protocol.REFERENCE_TYPE else ""
            told = self.call(Reference(thrown), "toString") if thrown else answer[2:]
            raise protocol.Py4JError(f"{head}: {told}".replace("\n", " "))
        if answer[1] in (protocol.REFERENCE_TYPE, protocol.LIST_TYPE):
            return Reference(answer[2:])
        return protocol.get_return_value(answer, None)
