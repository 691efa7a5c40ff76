"""The past: events, users' histories, expectations, predictors and scenarios; causal by construction."""
