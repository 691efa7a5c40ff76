"""The compiled core as Python sees it: what it takes, what it refuses, how it ends."""
