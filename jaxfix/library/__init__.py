"""What the functions of JAX and of libraries around it do."""
