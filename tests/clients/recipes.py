"""Loads the recipes of the documentation, which are no package."""

import importlib.util
import sys
from pathlib import Path

RECIPES = Path(__file__).parents[2] / "docs" / "recipes"


def recipe(name):
    """The module of a recipe."""
    spec = importlib.util.spec_from_file_location(name, RECIPES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
