"""Type hints -> JSON Schema (draft 2020-12), for the hints whose values JSON can carry."""

from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
import types
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    ReadOnly,
    Required,
    TypeAliasType,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

_PLAIN = {str: 'string', bool: 'boolean', int: 'integer', float: 'number', type(None): 'null', None: 'null'}
_SUPPORTED = 'str, int, float, bool, None, list, dict, Optional, Union, Literal, Enum, TypedDict, dataclass, Annotated'
UNIONS = (Union, types.UnionType)
WRAPPERS = (Annotated, Required, NotRequired, ReadOnly)


class UnsupportedType(Exception):
    pass


def schema_of(hint, inside=()):
    """@raises UnsupportedType with a sentence for the tool's author"""
    origin, arguments = get_origin(hint), get_args(hint)
    if isinstance(hint, TypeAliasType):
        return schema_of(hint.__value__, inside)
    if origin in WRAPPERS:
        return _wrapped(hint, arguments, inside)
    if hint in _PLAIN:
        return {'type': _PLAIN[hint]}
    if origin in UNIONS:
        return {'anyOf': [schema_of(each, inside) for each in arguments]}
    if origin is Literal:
        return {'enum': [_scalar(each, hint) for each in arguments]}
    if hint is list or origin is list:
        return {'type': 'array', **({'items': schema_of(arguments[0], inside)} if arguments else {})}
    if hint is dict or origin is dict:
        return _mapping(arguments, inside)
    if isinstance(hint, type):
        return _class(hint, inside)
    raise UnsupportedType(f'{_shown(hint)} is not a type that a tool can take. Supported: {_SUPPORTED}.')


def _wrapped(hint, arguments, inside):
    schema = schema_of(arguments[0], inside)
    described = next((each for each in getattr(hint, '__metadata__', ()) if isinstance(each, str)), None)
    return {**schema, 'description': described} if described else schema


def _mapping(arguments, inside):
    if not arguments:
        return {'type': 'object'}
    if arguments[0] is not str:
        raise UnsupportedType('The keys of a dict must be str: JSON has no others.')
    return {'type': 'object', 'additionalProperties': schema_of(arguments[1], inside)}


def _class(hint, inside):
    if hint in inside:
        raise UnsupportedType(f'{hint.__name__} contains itself; a tool takes only types of known depth.')
    if issubclass(hint, Enum):
        return {'enum': [_scalar(each.value, hint) for each in hint]}
    if is_typeddict(hint):
        return _object(hint, required_keys(hint), inside)
    if is_dataclass(hint):
        needed = {each.name for each in fields(hint) if each.init and _has_no_default(each)}
        return _object(hint, needed, inside, {each.name for each in fields(hint) if each.init})
    raise UnsupportedType(f'{_shown(hint)} is not a type that a tool can take. Supported: {_SUPPORTED}.')


def required_keys(hint):
    """Of a TypedDict, whose own record is wrong when its hints are text (from __future__ import annotations)."""
    kept = set()
    for key, each in get_type_hints(hint, include_extras=True).items():
        marks = set()
        while get_origin(each) in WRAPPERS:
            marks.add(get_origin(each))
            each = get_args(each)[0]
        if Required in marks or (key in hint.__required_keys__ and NotRequired not in marks):
            kept.add(key)
    return kept


def _object(hint, needed, inside, names=None):
    hints = get_type_hints(hint, include_extras=True)
    names = list(hints) if names is None else [name for name in hints if name in names]
    properties = {name: schema_of(hints[name], (*inside, hint)) for name in names}
    required = [name for name in names if name in needed]
    return {'type': 'object', 'properties': properties, 'required': required, 'additionalProperties': False}


def _has_no_default(each):
    return each.default is MISSING and each.default_factory is MISSING


def _scalar(value, hint):
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise UnsupportedType(f'{_shown(hint)} has the value {value!r}; its values are text, numbers or booleans.')


def _shown(hint):
    return 'Any' if hint is Any else getattr(hint, '__name__', None) or str(hint)
