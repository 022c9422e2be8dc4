"""Parts of the load benchmark that bench/run.py puts together."""
