"""How fast the page of a review is."""
