import functools
import sys
import types

from .check import check
from .host import credential, event, http_request


@functools.lru_cache(maxsize=64)
def checked_code(source):
    """A source -> (Checked, its code or None), read once per child however often it runs."""
    checked = check(source)
    return checked, None if checked.refusals else compile(checked.tree, 'tool.py', 'exec', dont_inherit=True)


def load(code):
    """Runs the source's own statements in a module of its own -> its names. No call sees another one's globals."""
    # Type hints given as text (from __future__ import annotations) are resolved through the module's name.
    module = sys.modules['tool'] = types.ModuleType('tool')
    module.http_request, module.credential, module.event = http_request, credential, event
    exec(code, module.__dict__)
    return module.__dict__
