"""The parts of `rag chat`: what is typed comes in, the turns of a conversation go out."""
