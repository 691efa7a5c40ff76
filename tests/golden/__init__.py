"""Results on whole workloads, to the digit."""
