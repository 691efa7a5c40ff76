"""Parameters of policies, searched on one span of a log and judged on later ones."""
