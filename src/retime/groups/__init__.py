"""Groups: several characters retimed together, meeting exactly."""
