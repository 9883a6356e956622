"""Takes JavaScript out of Python's sight. Depth, not the wall: the process has nothing worth reaching."""

import sys

_HIDDEN = ('js', 'pyodide_js', 'pyodide', '_pyodide', '_pyodide_core', 'ctypes', '_ctypes', '_gatehouse_host')


def lock_down():
    sys.meta_path[:] = [finder for finder in sys.meta_path if 'pyodide' not in type(finder).__module__]
    for name in list(sys.modules):
        if name.split('.')[0] in _HIDDEN:
            del sys.modules[name]
    # None makes an import fail without asking any finder.
    sys.modules.update(dict.fromkeys(_HIDDEN))
