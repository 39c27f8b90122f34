"""A small complete study to copy: configuration, seeds, runner, results, plot and page."""
