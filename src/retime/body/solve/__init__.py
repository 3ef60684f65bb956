"""Move bodies to goals: limbs, whole bodies, contacts held on the source's path, grips, flights."""
