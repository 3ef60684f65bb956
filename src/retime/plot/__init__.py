"""Pictures: what a person would rather look at."""
