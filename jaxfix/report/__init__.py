"""What crosses process boundaries: findings, patches, measurements, evidence. JSON, versioned."""
