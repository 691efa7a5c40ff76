"""The policies: what a scheduler does in a round."""
