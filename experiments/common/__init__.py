"""Files, locks and text: what every other package of experiments uses."""
