"""What jaxfix does to programs that nobody meant for it: random ones, broken ones, other people's."""
