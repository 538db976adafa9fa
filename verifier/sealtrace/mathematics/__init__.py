"""Mathematics that every kind of study may use, pure: numbers and arrays in, numbers and arrays out."""
