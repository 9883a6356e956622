"""Google-style docstrings: https://google.github.io/styleguide/pyguide.html#383-functions-and-methods"""

import inspect
import re

_SECTION = re.compile(
    r'(Args|Arguments|Parameters|Returns?|Yields?|Raises|Examples?|Notes?|Warnings?|Attributes|Todo|See Also):\s*$'
)
_ARGUMENT = re.compile(r'\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)')


def read_docstring(text):
    """A docstring -> (what the function does, {argument: description})."""
    sections = {'': []}
    lines = sections['']
    for line in inspect.cleandoc(text).splitlines():
        header = _SECTION.match(line)
        if header:
            lines = sections.setdefault(header[1], [])
        else:
            lines.append(line)
    described = {}
    for name in ('Args', 'Arguments', 'Parameters'):
        described.update(_arguments(sections.get(name, [])))
    return '\n'.join(sections['']).strip(), described


def _arguments(lines):
    filled = [line for line in lines if line.strip()]
    if not filled:
        return {}
    depth = min(len(line) - len(line.lstrip()) for line in filled)
    described, name = {}, None
    for line in filled:
        head = _ARGUMENT.match(line[depth:])
        if head and not line[depth : depth + 1].isspace():
            name = head[1]
            described[name] = head[2].strip()
        elif name:
            described[name] = f'{described[name]} {line.strip()}'.strip()
    return described
