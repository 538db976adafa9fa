"""One index of names: which rows, columns, fields, values, files and statistics a text names, and how strongly."""
