"""Expands the compact sources of the custom resource definitions; generate.py is the command."""
