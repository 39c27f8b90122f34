"""The rules of *Tower Up*, one module a chapter, one function a rule.

A rule takes the tables' record ``t`` and the ``state`` of one game.  ``may_*`` only read,
``do_*`` write and trust that the matching ``may_*`` was true.  Sections (TU §n) and rulings (Tn)
are those of the game's README.
"""
