"""The census: every optimizer of a package driven as shipped and as `jaxfix apply` leaves it."""
