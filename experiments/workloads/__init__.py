"""From a name, a file or a model to a workload."""
