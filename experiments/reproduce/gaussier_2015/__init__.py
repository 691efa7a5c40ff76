"""Gaussier et al., Improving Backfilling by using Machine Learning to predict Running Times (SC 2015)."""
