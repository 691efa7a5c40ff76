"""The objectives: what a plan costs."""
