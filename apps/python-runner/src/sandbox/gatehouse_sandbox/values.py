"""JSON values -> what the type hints promise the tool, and results -> JSON values."""

from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from typing import Literal, TypeAliasType, get_args, get_origin, get_type_hints, is_typeddict

from .schema import UNIONS, WRAPPERS, required_keys


class Mismatch(Exception):
    pass


def value_of(hint, value, where):
    """@raises Mismatch naming the place, never the value"""
    origin, arguments = get_origin(hint), get_args(hint)
    if isinstance(hint, TypeAliasType):
        return value_of(hint.__value__, value, where)
    if origin in WRAPPERS:
        return value_of(arguments[0], value, where)
    if origin in UNIONS:
        return _first_fit(arguments, value, where)
    if origin is Literal:
        return _one_of(arguments, arguments, value, where)
    if hint is None or hint is type(None):
        return _expect(value is None, value, where, 'null')
    if hint is float:
        return float(_expect(_is_number(value), value, where, 'a number'))
    if hint is int:
        return _expect(_is_number(value) and not isinstance(value, float), value, where, 'a whole number')
    if hint in (str, bool):
        return _expect(isinstance(value, hint), value, where, 'text' if hint is str else 'true or false')
    if hint is list or origin is list:
        _expect(isinstance(value, list), value, where, 'a list')
        return [value_of(arguments[0], each, f'{where}[{at}]') for at, each in enumerate(value)] if arguments else value
    if hint is dict or origin is dict:
        _expect(isinstance(value, dict), value, where, 'an object')
        return {key: value_of(arguments[1], each, where) for key, each in value.items()} if arguments else value
    if issubclass(hint, Enum):
        return _one_of([each.value for each in hint], list(hint), value, where)
    return _object(hint, value, where)


def _object(hint, value, where):
    _expect(isinstance(value, dict), value, where, 'an object')
    hints = get_type_hints(hint, include_extras=True)
    if is_typeddict(hint):
        known, needed = set(hints), required_keys(hint)
    else:
        known, needed = {each.name for each in fields(hint) if each.init}, set()
    _expect(known >= value.keys() and value.keys() >= needed, value, where, 'an object with the properties declared')
    made = {key: value_of(hints[key], each, f'{where}.{key}') for key, each in value.items()}
    if is_typeddict(hint):
        return made
    try:
        return hint(**made)
    except TypeError:
        raise Mismatch(f'{where} lacks a property of {hint.__name__}') from None


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _expect(fits, value, where, what):
    if not fits:
        raise Mismatch(f'{where} is not {what}')
    return value


def _first_fit(hints, value, where):
    for hint in hints:
        try:
            return value_of(hint, value, where)
        except Mismatch:
            continue
    raise Mismatch(f'{where} fits none of its types')


def _one_of(allowed, results, value, where):
    for each, result in zip(allowed, results):
        if type(each) is type(value) and each == value:
            return result
    raise Mismatch(f'{where} is not one of the values allowed')


def plain(value):
    """For json.dumps: what a result may hold beside JSON's own types. @raises TypeError for anything else"""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Decimal):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    raise TypeError(f'{type(value).__name__} is no JSON value: return text, numbers, booleans, None, lists or dicts')
