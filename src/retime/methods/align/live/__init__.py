"""Follow a performance: one belief over place and rate, and the paper's aligner."""
