"""Who moves: roles of joints by names and shape, limbs, masses, size and mirrored pairs."""
