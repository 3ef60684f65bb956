"""Assemble motions of others: join two clips, close a cycle."""
