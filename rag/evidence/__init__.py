"""Ranked papers → evidence: numbered papers, their sentences scored against the question."""
