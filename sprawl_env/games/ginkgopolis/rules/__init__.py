"""The rules of *Ginkgopolis*, one module a chapter, one function a rule.

``entry_points.py`` has the public kernels, ``flow.py`` the automatic steps between decisions,
``decisions.py`` what each decision marks as legal and what its actions do.

A rule takes the tables' record ``t`` and the ``state`` of one game.  ``may_*`` only read;
``do_*`` write and trust that the matching ``may_*`` was true.  Sections (GK §n) name the parts
of the rules: §1 components and setup, §2 options, §3 order of play, §4 rulings, §5 size of the
city, §6 actions.  Rulings (Gn) are listed in the game's README.
"""
