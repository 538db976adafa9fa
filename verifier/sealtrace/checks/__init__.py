"""What is checked: one module per family, each check a pure function of the evidence."""
