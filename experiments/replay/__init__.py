"""The replay: event loop, traces, metrics, checker. Everything that decides what a replay gives stands here."""
