"""The rules of *Ginkgopolis*, one module a chapter, one function a rule.

A rule takes the tables' record ``t`` and the ``state`` of one game.  ``may_*`` only read,
``do_*`` write and trust that the matching ``may_*`` was true.  Sections (GK §n) and rulings (Gn)
are those of the game's README.
"""
