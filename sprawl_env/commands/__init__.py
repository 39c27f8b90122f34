"""The commands of ``sprawl-env``: one module each, with its flags as a dataclass.

The modules import what they run only when they run it, so that the help of every command is fast.
"""
