"""Inputs of the differential test for the API server and the checker, and the comparison of their
answers."""
