"""The recipes: what is done, in order, to ask, to summarize, to compare."""
