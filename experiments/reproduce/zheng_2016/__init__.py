"""Zheng et al. (2016): plan-based scheduling."""
