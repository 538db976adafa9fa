"""What a study of policies records."""
