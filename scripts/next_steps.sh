#!/bin/sh
# The last lines of `make run`: where things are, and what to type next.
cat <<'TEXT'

Where things are
  results/tables/    the tables above, as Markdown, CSV and LaTeX
  results/runs/      one folder a stream: episodes.jsonl, memory/, lock.json, calls.sqlite

What to type next
  . .venv/bin/activate
  python -m scripts.show results/runs/FOLDER                                          one run; add a task id for one episode
  export OPENAI_API_KEY=...
  python -m scripts.run env=alfworld memory=flat backbone=gpt_4o_mini seed=0          a real model, your own key
  python -m scripts.run -m env=alfworld memory=none,flat backbone=apprentice seed=0,1   every combination
  python -m scripts.run --help                                                        everything that can be set
TEXT
