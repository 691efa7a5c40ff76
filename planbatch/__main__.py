"""``python -m planbatch``: the command."""

from planbatch.experiments.cli.main import main

if __name__ == "__main__":
    main()
