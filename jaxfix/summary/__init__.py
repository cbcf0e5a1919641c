"""What a file tells the other files of its project."""
