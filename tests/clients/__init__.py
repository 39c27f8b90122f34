"""Tests that run other libraries, each from a virtual environment of its own: make test-clients."""
