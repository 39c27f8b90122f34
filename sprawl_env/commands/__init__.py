"""The commands of ``sprawl-env``: one module each, with its flags as a dataclass.

The modules import optional libraries, the arena and learning only when they use them, so that the
help of every command is fast.
"""
