"""The rules of *Tower Up*, one module a chapter, one function a rule.

``entry_points.py`` has the public kernels, ``flow.py`` the automatic steps between decisions,
``decisions.py`` what each decision marks as legal and what its actions do.

A rule takes the tables' record ``t`` and the ``state`` of one game.  ``may_*`` only read;
``do_*`` write and trust that the matching ``may_*`` was true.  Sections (TU §n) are the
rulebook's, rulings (Tn) are listed in the game's README.
"""
