"""Benchmarks of this program and others, and what they share."""
