"""The parts of deploy/image/build: the files that a program needs, their packages, and the archive."""
