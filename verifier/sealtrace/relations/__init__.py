"""Relations between printed numbers: what they say, and whether they can all be true."""
