"""Shared by all servers of retime: access control and addresses."""
