"""Reads a source without running it: its imports, its one public function, what it asks of the host."""

import ast
from dataclasses import dataclass, field
import re

from .allowed_imports import is_allowed
from .refusal import Refusal, refusal_at
from .refused_imports import has_hint, hint_for

NAME = re.compile(r'[A-Za-z][A-Za-z0-9_]{0,63}')


@dataclass
class Checked:
    refusals: list = field(default_factory=list)
    tree: ast.Module | None = None
    function: ast.FunctionDef | None = None
    uses_http: bool = False
    credentials: set = field(default_factory=set)

    def refuse(self, node, code, message):
        self.refusals.append(refusal_at(node, code, message))


def check(source):
    """A tool's source -> Checked; its refusals are empty when it may be loaded."""
    checked = Checked()
    try:
        checked.tree = ast.parse(source, 'tool.py')
        _check_names(checked)
    except SyntaxError as error:
        checked.refusals.append(Refusal(error.lineno or 1, error.offset or 1, str(error.msg), 'syntax_error'))
        return checked
    except (ValueError, RecursionError, MemoryError) as error:
        message = 'The source cannot be read: ' + (str(error) or 'it is nested too deeply')
        checked.refusals.append(Refusal(1, 1, message, 'syntax_error'))
        return checked
    _check_function(checked)
    return checked


def _check_names(checked):
    literal_calls = set()
    for node in ast.walk(checked.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                _check_import(checked, node, alias.name)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                checked.refuse(node, 'import_not_allowed', 'A tool is one file: relative imports are not possible.')
            else:
                for alias in node.names:
                    _check_import(checked, node, node.module, f'{node.module}.{alias.name}')
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == 'credential':
            if len(node.args) == 1 and not node.keywords and _is_text(node.args[0]):
                checked.credentials.add(node.args[0].value)
                literal_calls.add(node.func)
        elif isinstance(node, ast.Name) and node.id == 'http_request':
            checked.uses_http = True
    for node in ast.walk(checked.tree):
        if isinstance(node, ast.Name) and node.id == 'credential' and node not in literal_calls:
            message = 'Write credential("name") with the name in quotes, so that it is known before the tool runs.'
            checked.refuse(node, 'credential_not_literal', message)


def _is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _check_import(checked, node, *names):
    if not is_allowed(*names):
        # The longest name is what `from a import b` is about, unless b is no module.
        refused = names[-1] if has_hint(names[-1]) else names[0]
        checked.refuse(node, 'import_not_allowed', f'A tool cannot import {refused}. {hint_for(refused)}')


def _check_function(checked):
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    public = [node for node in checked.tree.body if isinstance(node, kinds) and not node.name.startswith('_')]
    if not public:
        message = 'A tool needs one function whose name does not start with an underscore.'
        checked.refusals.append(Refusal(1, 1, message, 'no_function'))
        return
    for extra in public[1:]:
        message = f'{public[0].name} is already the tool: start the name of {extra.name} with an underscore.'
        checked.refuse(extra, 'several_functions', message)
    checked.function = public[0]
    _check_head(checked, public[0])


def _check_head(checked, function):
    arguments = function.args
    if isinstance(function, ast.AsyncFunctionDef):
        checked.refuse(function, 'async_function', 'Write def instead of async def: tools are not asynchronous.')
    if not NAME.fullmatch(function.name):
        checked.refuse(function, 'invalid_name', 'Give the function an ASCII name of at most 64 characters.')
    for decorator in function.decorator_list:
        checked.refuse(decorator, 'decorated', 'The tool function cannot have decorators: they hide its signature.')
    if not (ast.get_docstring(function) or '').strip():
        checked.refuse(function, 'missing_docstring', f'{function.name} has no docstring: the agent needs one.')
    for starred in filter(None, (arguments.vararg, arguments.kwarg)):
        checked.refuse(starred, 'star_arguments', f'Name each argument instead of *{starred.arg}.')
    for positional in arguments.posonlyargs:
        message = f'{positional.arg} must be usable as a keyword argument: remove the slash.'
        checked.refuse(positional, 'positional_only', message)
    for argument in arguments.posonlyargs + arguments.args + arguments.kwonlyargs:
        if argument.arg == '__proto__':
            message = 'Give the argument another name than __proto__: in the arguments of a call it is no name of its own.'
            checked.refuse(argument, 'invalid_name', message)
        if argument.annotation is None:
            checked.refuse(argument, 'missing_hint', f'{argument.arg} has no type hint, such as {argument.arg}: str.')
