"""The rules of *Urban Sprawl*, one module per chapter, one function per rule.

A rule takes the record of the tables ``t`` and the ``state`` of one game.  ``may_*`` functions only
read.  ``do_*`` functions write and do not check legality again.  ``mark_*`` functions write the
action mask.  Sections (US §n, US 6.n) and rulings (Un) are those of the game's README.
"""
