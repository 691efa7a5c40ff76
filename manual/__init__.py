"""How the site is built: pages and pictures that scripts make, and what is taken from the rest of the repository."""

from pathlib import Path

#: The repository.
ROOT = Path(__file__).resolve().parent.parent
