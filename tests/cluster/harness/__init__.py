"""Starts, drives and stops a real Kubernetes control plane with this project's webhook on it."""
