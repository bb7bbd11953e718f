"""Evaluation: questions with known answers come in, scores of what the library makes of them go out."""
