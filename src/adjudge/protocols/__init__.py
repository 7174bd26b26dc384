"""The protocols. Each is one folder with all that only it knows; `base.py` says what the rest may know of it.

The files beside the folders are what protocols share, and name none of them.
"""
