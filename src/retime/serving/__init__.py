"""What every server of retime shares: who may talk to it, and where it listens."""
