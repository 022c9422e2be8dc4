"""The parts of deploy/image/build: what a program needs, which packages that is of, and the archive."""
