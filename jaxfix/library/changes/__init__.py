"""What newer versions of JAX and of libraries around it have removed, renamed or given another meaning."""
