"""Tasks for lm-evaluation-harness: `lm_eval --include_path`, with the folder of this package.

`python -m averment.integrations.lm_eval_tasks` prints that folder. A task is a YAML file; what it
computes is in `tasks.py`. The questions are in files of your own: nothing is fetched.
"""
