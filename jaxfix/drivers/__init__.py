"""The room that acts: files, terminals, processes of the user's asking."""
