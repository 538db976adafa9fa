"""The mathematics of games: arrays and integers in and out."""
