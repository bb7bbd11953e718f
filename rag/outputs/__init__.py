"""Outputs: answers, hits and papers come in, text for people and programs goes out."""
