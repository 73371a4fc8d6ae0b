"""Showing each role of a team the insights in words of its own part."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pydantic import Field

from baselines.g_memory.asking import Asker, call_of
from baselines.g_memory.condensing import Answer, Text
from baselines.g_memory.recalling import INSIGHT, insight_item
from baselines.g_memory.trajectory import clean
from harness.types import Recall


class Projection(Answer):
    """The insights once more, as one role needs them."""

    insights: list[Text] = Field(max_length=100)


@dataclass(frozen=True, slots=True)
class Projector:
    """Rewrites the insights of a recall, one call a role."""

    asker: Asker
    line_chars: int

    def project(self, recall: Recall, role: str, task_id: str, trial: int) -> Recall:
        """Return the recall with its insights rewritten for a role.

        Trajectories stay. An answer that cannot be read, or that is no text for each insight, leaves all as it was.
        """
        insights = [item for item in recall.items if item.kind == INSIGHT]
        if not insights:
            return recall
        values = {"role": role, "insights": "\n".join(item.text for item in insights)}
        answer = self.asker.ask(
            Projection, values, call_of(task_id, trial, "retrieve", f"projector_{role}"), prompt="projector"
        )
        texts = [clean(text, self.line_chars) for text in answer.insights] if answer else []
        if len(texts) != len(insights) or not all(texts):
            return recall
        rewritten = {
            item.id: insight_item(item.id, text, item.score, item.born, number)
            for number, (item, text) in enumerate(zip(insights, texts, strict=True), 1)
        }
        return replace(recall, items=tuple(rewritten.get(item.id, item) for item in recall.items))
