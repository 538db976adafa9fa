"""Relations that need no relations file: what a table's own headers and caption say of its numbers."""
