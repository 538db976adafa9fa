"""Evidence from outside: who signed what was sealed, and when it was there."""
