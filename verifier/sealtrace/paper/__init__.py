"""A paper as printed: readers that give its tables, sentences and numbers, each with its place in the source."""
