"""Zhang et al., RLScheduler: An Automated HPC Batch Job Scheduler Using Reinforcement Learning (SC 2020)."""
