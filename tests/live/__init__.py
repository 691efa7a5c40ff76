"""Tests of the room ``experiments/live``."""
