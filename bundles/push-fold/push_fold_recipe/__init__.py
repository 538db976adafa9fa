"""A heads-up all-in game: solved, learnt from, played, and what each policy is worth."""
