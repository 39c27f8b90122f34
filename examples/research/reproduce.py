"""A published figure is played again and compared with its published games.

python examples/research/reproduce.py docs/ladder/tower_up/quick_greedy.jsonl
"""

import subprocess
import sys

import sprawl_env

GAMES = 512 if "--short" in sys.argv else 2000  # 512: one whole batch of those published
COMMAND = "evaluate --game tower_up --bots agent:tower_up/quick greedy --seed 1"

if __name__ == "__main__":
    published = sys.argv[1]
    sprawl = [sys.executable, "-m", sprawl_env.__name__]
    mine = ["--games", str(GAMES), "--results", "mine.jsonl"]
    subprocess.run([*sprawl, *COMMAND.split(), *mine], check=True)
    sys.exit(subprocess.run([*sprawl, "compare", "mine.jsonl", published], check=False).returncode)
