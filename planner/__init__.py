"""The model, the availability profile, the decoder, the optimizers and the lower bounds. No input or output."""
