"""The apprentice: a simulated agent that reads its memory plainly, and writes to it by rule."""
