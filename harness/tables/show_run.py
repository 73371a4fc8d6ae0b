"""A run's summary: for a person, and as JSON for scripts."""

from __future__ import annotations

import json
import shlex

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from harness.ledger.reading import Run
from harness.ledger.tally import Tally, Verdicts
from harness.statistics import round_half_up
from harness.tables.plain import plain
from harness.types import Usage


def summary(run: Run) -> dict[str, object]:
    """Return the figures of a run; ``success_rate`` is a fraction of the scored tasks, 0 to 1."""
    tally = Tally.of(run.records())
    verdicts = tally.verdicts
    return {
        "run": run.name,
        "env": run.lock.env.name,
        "memory": run.lock.memory.name,
        "backbone": run.lock.backbone.id,
        "seed": run.lock.seed,
        "n_planned": run.lock.n_planned,
        "n_scored": verdicts.n_scored,
        "n_infrastructure": verdicts.n_infrastructure,
        "n_solved": verdicts.n_solved,
        "success_rate": verdicts.success_rate,
        "mean_score": verdicts.mean_score,
        "steps": tally.steps,
        "tokens": tally.usage.tokens,
        "cost_usd": tally.usage.cost_usd,
        "memory_items": tally.memory_items,
    }


def print_run(run: Run, console: Console) -> None:
    """Print what a run is, how it went, what it cost, what to keep in mind, and what to type next."""
    tally = Tally.of(run.records())
    console.print(Text(plain(run.name), style="bold"))
    console.print(_state(run, tally.verdicts))
    console.print()
    console.print(_facts(run))
    if tally.episodes:
        console.print()
        console.print(_families(tally))
        console.print(Text(f"Ended by: {_stops(tally)}", style="dim"))
        console.print()
        console.print(_costs(tally))
        console.print(Text(_effort(tally), style="dim"))
    said = _said(run)
    if said:
        console.print(Text("\nTo keep in mind", style="bold"))
    for sentence in said:
        console.print(Padding(Text(plain(sentence), style="yellow"), (0, 0, 0, 2), expand=False))
    console.print()
    console.print(_next(run), soft_wrap=True)  # a command is copied whole


def dollars(amount: float | None) -> str:
    """Return an amount as shown to people; ``unknown`` where a price is."""
    return "unknown" if amount is None else f"${round_half_up(amount, 4)}"


def _state(run: Run, verdicts: Verdicts) -> Text:
    planned, done = run.lock.n_planned, verdicts.n_scored + verdicts.n_infrastructure
    state = run.state.state if run.state else ("complete" if done == planned else "unknown state")
    text = Text(state, style="green" if done == planned and state == "complete" else "yellow")
    text.append(f" · {done} of {planned} tasks", style="default")
    if verdicts.success_rate is not None and verdicts.mean_score is not None:
        rate = round_half_up(100 * verdicts.success_rate, 1)
        text.append(f" · {verdicts.n_solved} solved ({rate} %)", style="bold default")
        text.append(f" · mean score {round_half_up(verdicts.mean_score, 1)}", style="default")
    if verdicts.n_infrastructure:
        text.append(f" · {verdicts.n_infrastructure} lost to infrastructure, not scored", style="red")
    if run.state and run.state.message:
        text.append(f"\n{plain(run.state.message)}", style="yellow")
    return text


def _facts(run: Run) -> Grid:
    lock = run.lock
    sha = str((lock.git or {}).get("sha") or "unknown")[:8]
    dirty = " with uncommitted changes" if (lock.git or {}).get("dirty") else ""
    real = "" if lock.backbone.real else "no language model"
    facts = {
        "environment": (lock.env.name, lock.env.variant),
        "memory": (lock.memory.name, lock.memory.mode, lock.memory.variant, f"row {lock.row}" if lock.row else ""),
        "backbone": (lock.backbone.id, real),
        "memory's own": (lock.memory_backbone.id if lock.memory_backbone else lock.backbone.id,),
        "judge's own": (lock.judge.id if lock.judge else lock.backbone.id,),
        "agent": (lock.agent.name, f"embedder {lock.embedder.id}" if lock.embedder else ""),
        "stream": (f"seed {lock.seed}", f"{lock.order} order", lock.protocol, f"feedback: {lock.outcome_source}"),
        "started": (lock.started, f"code {sha}{dirty}"),
    }
    grid = Grid.grid(padding=(0, 2, 0, 0))
    for name, parts in facts.items():
        if name.endswith("own") and parts == (lock.backbone.id,):
            continue
        shown = " · ".join(dict.fromkeys(part for part in parts if part))
        grid.add_row(Text(name, style="dim"), Text(plain(shown)))
    return grid


def _table(*titles: str) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", show_edge=False)
    for i, title in enumerate(titles):
        grid.add_column(title, justify="right" if i else "left", overflow="fold")
    return grid


def _families(tally: Tally) -> Grid:
    grid = _table("Family", "Tasks", "Solved", "Success %", "Mean score", "Lost")
    lines = {**tally.families, **({"all": tally.verdicts} if len(tally.families) > 1 else {})}
    for family, verdicts in lines.items():
        if family == "all":
            grid.add_section()
        rate, score = verdicts.success_rate, verdicts.mean_score
        grid.add_row(
            Text(plain(family)),
            str(verdicts.n_scored + verdicts.n_infrastructure),
            str(verdicts.n_solved),
            "n/a" if rate is None else round_half_up(100 * rate, 1),
            "n/a" if score is None else round_half_up(score, 1),
            str(verdicts.n_infrastructure or ""),
        )
    return grid


def _stops(tally: Tally) -> str:
    return " · ".join(f"{plain(stop)} {count}" for stop, count in tally.stops.most_common())


def _costs(tally: Tally) -> Grid:
    grid = _table("Calls of", "Calls", "Input tokens", "of it cached", "Output tokens", "Cost")
    sides: dict[str, Usage] = {"agent": tally.chat["agent"], "memory": tally.chat["memory"]}
    for name, usage in {**sides, "embeddings": tally.embedding, "all": tally.usage}.items():
        if name == "all":
            grid.add_section()
        counts = (usage.calls, usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens)
        grid.add_row(name, *(f"{count:,}" for count in counts), dollars(usage.cost_usd))
    return grid


def _effort(tally: Tally) -> str:
    each = tally.episodes
    parts = [
        f"{round_half_up(tally.steps / each, 1)} environment steps",
        f"{round_half_up(tally.wall_s / each, 1)} s (agent's model {round_half_up(tally.agent_s / each, 1)}, "
        f"memory {round_half_up(tally.memory_s / each, 1)}, engine {round_half_up(tally.engine_s / each, 1)})",
        f"{round_half_up(tally.recall_lines / each, 1)} lines of memory injected",
    ]
    counts = {"tool calls": tally.tool_steps, "unreadable answers": tally.format_errors, "replays": tally.replays}
    extra = [f"{count} {name}" for name, count in counts.items() if count]
    more = f"; in all {', '.join(extra)}" if extra else ""
    return f"An episode: {', '.join(parts)}{more}. Store: {tally.memory_items} items."


def _said(run: Run) -> list[str]:
    lock = run.lock
    found = [f"this run: {sentence}" for sentence in lock.disclosures]
    found += [f"{lock.env.name}: {sentence}" for sentence in lock.env.disclosures]
    found += [f"{lock.memory.name}: {sentence}" for sentence in lock.memory.disclosures]
    models = [facts for facts in (lock.backbone, lock.memory_backbone, lock.judge) if facts is not None]
    found += dict.fromkeys(f"{facts.id}: {sentence}" for facts in models for sentence in facts.disclosures)
    if run.torn:
        found.append("The last line of its episodes was cut short by a kill; it is not counted and runs again.")
    return found


def _next(run: Run) -> Text:
    commands = [("read an episode", f"python -m scripts.show {shlex.quote(str(run.folder))} 1")]
    if not (run.state and run.state.complete):
        overrides = " ".join(shlex.quote(word) for word in run.lock.overrides)
        commands.insert(0, ("go on where it stopped", f"python -m scripts.run {overrides}".rstrip()))
    commands.append(("make the tables", f"python -m scripts.tables 1 3 --runs {shlex.quote(str(run.folder.parent))}"))
    width = max(len(what) for what, _ in commands)
    lines = [Text.assemble((f"{what:{width}}  ", "dim"), plain(command)) for what, command in commands]
    return Text("\n").join([Text("Next", style="bold"), *lines])


def as_json(run: Run) -> str:
    """Return the summary as JSON."""
    return json.dumps(summary(run), indent=2, allow_nan=False)
