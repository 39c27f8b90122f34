"""Look for games, calls, files and interruptions that break the package."""
