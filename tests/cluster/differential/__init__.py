"""What the differential test sends to the API server and to the checker, and how their answers
compare."""
