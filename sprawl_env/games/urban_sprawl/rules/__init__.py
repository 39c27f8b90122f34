"""The rules of *Urban Sprawl*, one module a chapter, one function a rule.

A rule takes the tables' record ``t`` and the ``state`` of one game.  ``may_*`` only read,
``do_*`` write and trust that the matching ``may_*`` was true.  Sections (US §n, US 6.n) and
rulings (Un) are those of the game's README.
"""
