"""What the JAX functions and of libraries around it do."""
