"""The search for a timing: the objective, the request, and the best of the feasible timings."""
