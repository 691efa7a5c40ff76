"""Liu et al. (2016): balanced backfilling on two resources."""
