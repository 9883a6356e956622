"""Runs one call of a tool -> its result as JSON, or the kind of its failure."""

import json
import sys
from typing import get_type_hints

from .failure import line_of, told
from .host import HostCallRefused
from .loading import checked_code, load
from .output import capture
from .values import Mismatch, plain, value_of

# The integers that a double represents exactly; most readers of JSON use doubles.
_MAX_EXACT = 2**53 - 1
_recursion_limit = sys.getrecursionlimit()


class InvalidResult(Exception):
    pass


def run_tool(request, max_result_bytes, max_stdout_chars):
    sys.setrecursionlimit(_recursion_limit)
    output = capture(max_stdout_chars)
    try:
        result = _encoded(_call(request), max_result_bytes)
        answer = {'ok': True, 'result': result}
    except InvalidResult as error:
        answer = _failed('invalid_result', str(error))
    except HostCallRefused as error:
        answer = _failed('host_call_refused', str(error)[:1000], line_of(error))
    except MemoryError:
        answer = _failed('memory', 'The tool asked for more memory than a call may use.')
    except BaseException as error:
        line = line_of(error)
        answer = _failed('exception', told(error) + (f' (line {line})' if line else ''), line)
    return {**answer, 'stdout': output.text(), 'truncated': output.truncated}


def _call(request):
    checked, code = checked_code(request['source'])
    if code is None:
        first = checked.refusals[0]
        raise ImportError(f'{first.message} (line {first.line})')
    if checked.function.name != request['function']:
        raise LookupError(f'The source has no tool {request["function"]}.')
    namespace = load(code)
    function = namespace[checked.function.name]
    return function(**_arguments(function, request['arguments']))


def _arguments(function, given):
    hints = get_type_hints(function, include_extras=True)
    unknown = given.keys() - hints.keys()
    if unknown:
        raise Mismatch(f'There is no argument {min(unknown)[:64]}')
    return {name: value_of(hints[name], value, name) for name, value in given.items()}


def _encoded(value, max_bytes):
    try:
        text = json.dumps(value, default=plain, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise InvalidResult(f'The result is no JSON: {error}'[:1000]) from None
    size = len(text.encode('utf-8', 'surrogatepass'))
    if size > max_bytes:
        raise InvalidResult(f'The result has {size} bytes as JSON; at most {max_bytes} are passed on.')
    return json.loads(text, parse_int=_exact)


def _exact(digits):
    """A whole number; as text where whoever reads it as JSON would change its digits."""
    number = int(digits)
    return number if abs(number) <= _MAX_EXACT else digits


def _failed(error, message, line=None):
    return {'ok': False, 'error': error, 'message': message, **({'line': line} if line else {})}
