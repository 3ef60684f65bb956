"""Find the key poses of a motion: evidence, filtering, and the making of their channels."""
