"""Two versions of the package play each other."""
