"""The error tree, and the one table that says what each error leads to."""

from __future__ import annotations

from dataclasses import dataclass


class HarnessError(Exception):
    """Base of all errors this project raises on purpose. Messages say what was got, what is expected, what to do."""


class ConfigError(HarnessError):
    """The input is wrong; nothing has run."""


class LedgerError(HarnessError):
    """A run folder is damaged, in use, or belongs to another configuration."""


class ParseError(HarnessError):
    """A model's structured answer stayed unreadable after every repair; the caller counts it and goes on without."""


class InfrastructureError(HarnessError):
    """Something around the agent failed; the episode has no outcome and is tried again from the memory as it was."""


class EnvironmentFault(InfrastructureError):
    """An engine died, hung, or was misused."""


class BackboneError(InfrastructureError):
    """A call to a model brought no answer."""


class TransientBackboneError(BackboneError):
    """Worth sending again: rate limit, overload, timeout, broken connection."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class FatalBackboneError(BackboneError):
    """Sending it again cannot help: bad key, unknown model, malformed request."""


class ReplayMiss(BackboneError):
    """Replay mode was asked for a call that the store does not hold."""


class ContextOverflow(HarnessError):
    """The prompt is longer than the model takes; the agent trims once, then stops with context_overflow."""


class BudgetExhausted(HarnessError):
    """The stream's budget is used up; the stream stops, resumable."""


class StreamInterrupted(KeyboardInterrupt):
    """The user asked to stop; the stream is resumable. No ``except Exception`` of a library can swallow it."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What one kind of error leads to."""

    retry_call: bool
    """Whether the client sends the request again."""
    retry_episode: bool
    """Whether the runner plays the episode again."""
    exit_code: int
    """What the stream ends with once nothing is left to retry."""


POLICY: dict[type[BaseException], Policy] = {
    ConfigError: Policy(retry_call=False, retry_episode=False, exit_code=2),
    LedgerError: Policy(retry_call=False, retry_episode=False, exit_code=2),
    TransientBackboneError: Policy(retry_call=True, retry_episode=True, exit_code=3),
    FatalBackboneError: Policy(retry_call=False, retry_episode=False, exit_code=3),
    ReplayMiss: Policy(retry_call=False, retry_episode=False, exit_code=3),
    EnvironmentFault: Policy(retry_call=False, retry_episode=True, exit_code=3),
    InfrastructureError: Policy(retry_call=False, retry_episode=True, exit_code=3),
    BudgetExhausted: Policy(retry_call=False, retry_episode=False, exit_code=3),
    StreamInterrupted: Policy(retry_call=False, retry_episode=False, exit_code=130),
    KeyboardInterrupt: Policy(retry_call=False, retry_episode=False, exit_code=130),
    Exception: Policy(retry_call=False, retry_episode=False, exit_code=1),
}


def policy(error: BaseException) -> Policy:
    """Return the policy of an error: the entry of its nearest ancestor; 1 (a bug) for anything unknown."""
    for kind in type(error).__mro__:
        if kind in POLICY:
            return POLICY[kind]
    return POLICY[Exception]
