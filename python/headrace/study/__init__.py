"""The study of a facility that writes itself: figures, findings and one page, from a catalog."""
