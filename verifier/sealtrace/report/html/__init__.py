"""One page that needs nothing else, of any result: no network, no server, no other file."""
