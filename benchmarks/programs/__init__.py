"""Programs by other hands: as written, as a person made them faster, and as jaxfix leaves them."""
