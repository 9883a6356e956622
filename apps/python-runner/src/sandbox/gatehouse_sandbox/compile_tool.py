"""A source -> name, description and JSON Schema of its function, or what is wrong with it and where."""

import ast
import inspect
import json
from typing import get_type_hints

from .docstring import read_docstring
from .failure import line_of, told
from .loading import checked_code, load
from .refusal import Refusal, refusal_at
from .schema import UnsupportedType, schema_of
from .values import plain


def compile_tool(source):
    checked, code = checked_code(source)
    refusals = list(checked.refusals)
    if refusals:
        return _refused(refusals)
    try:
        function = load(code)[checked.function.name]
        hints = get_type_hints(function, include_extras=True)
    except BaseException as error:
        return _refused([_load_failed(checked, error)])
    description, described = read_docstring(function.__doc__)
    if not description:
        return _refused([refusal_at(checked.function, 'missing_docstring', 'Say in the docstring what the tool does.')])
    schema, refusals = _input_schema(checked.function, inspect.signature(function), hints, described)
    if refusals:
        return _refused(refusals)
    uses = {'http': checked.uses_http, 'credentials': sorted(checked.credentials)}
    return {'ok': True, 'name': function.__name__, 'description': description, 'input_schema': schema, 'uses': uses}


def _input_schema(node, signature, hints, described):
    properties, required, refusals = {}, [], []
    for argument in (*node.args.args, *node.args.kwonlyargs):
        name, default = argument.arg, signature.parameters[argument.arg].default
        try:
            schema = schema_of(hints[name])
        except (UnsupportedType, NameError) as error:
            refusals.append(refusal_at(argument.annotation, 'unsupported_type', str(error)))
            continue
        if name in described:
            schema = {**schema, 'description': described[name]}
        if default is inspect.Parameter.empty:
            required.append(name)
        else:
            try:
                schema['default'] = json.loads(json.dumps(default, default=plain, allow_nan=False))
            except (TypeError, ValueError):
                message = f'The default of {name} is not a JSON value: use None and set it inside the function.'
                refusals.append(refusal_at(argument, 'unsupported_default', message))
        properties[name] = schema
    schema = {'type': 'object', 'properties': properties, 'required': required, 'additionalProperties': False}
    return schema, refusals


def _load_failed(checked, error):
    hints = [argument.annotation for argument in (*checked.function.args.args, *checked.function.args.kwonlyargs)]
    for node in (node for hint in hints for node in ast.walk(hint)):
        if isinstance(error, NameError) and isinstance(node, ast.Name) and node.id == error.name:
            return refusal_at(node, 'unsupported_type', f'There is no type {error.name}.')
    return Refusal(line_of(error) or 1, 1, f'The source could not be loaded: {told(error)}', 'load_failed')


def _refused(refusals):
    ordered = sorted(refusals, key=lambda each: (each.line, each.column))
    return {'ok': False, 'errors': [each.as_json() for each in ordered[:50]]}
