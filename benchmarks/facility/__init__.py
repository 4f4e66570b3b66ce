"""What the facility's view costs."""
