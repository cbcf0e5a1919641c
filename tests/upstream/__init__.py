"""What jaxfix does to the releases that the five systems were reported on."""
