"""Measures clustering: what it finds in made data, and how fast it is beside other programs."""
