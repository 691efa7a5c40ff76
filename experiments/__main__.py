"""``python -m experiments``: the command, without an installation."""

from experiments.cli import main

if __name__ == "__main__":
    main()
