"""The replay: event loop, traces, metrics and checker; everything here that decides a replay's outcome."""
