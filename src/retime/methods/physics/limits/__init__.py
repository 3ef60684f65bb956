"""Limits of a body: supports, strength, flights, and the timings that they allow."""
