"""What a tool may ask of the platform. The answers come from the process outside, which checks every question."""

import base64
import json
from decimal import Decimal
from types import MappingProxyType

_ask = None


class HostCallRefused(Exception):
    """The platform did not do what was asked: an unknown credential, a refused address, no answer."""


def connect(ask):
    global _ask
    _ask = ask


def http_request(method, url, headers=None, body=None):
    """Makes one HTTP request under the platform's rules -> {'status', 'headers', 'body', 'truncated'}.

    A body of text is sent as it is, any other JSON value as application/json.
    """
    request = {'method': method, 'url': url}
    if headers is not None:
        request['headers'] = headers
    if body is not None:
        request['body'] = body
    return _answer({'call': 'http_request', 'request': request})


def event():
    """The event that started the turn, as it was received -> {'id', 'content_type', 'body', 'payload'}.

    The body is text, or bytes where it is not UTF-8. The payload is what it holds as JSON, with every digit: whole numbers
    are int, others Decimal. It is None where the body is not JSON.
    """
    given = _answer({'call': 'event'})
    body = given['body'] if given['body_encoding'] == 'utf8' else base64.b64decode(given['body'])
    return {'id': given['id'], 'content_type': given['content_type'], 'body': body, 'payload': _payload(body)}


def _payload(body):
    try:
        return json.loads(body.removeprefix('\ufeff') if isinstance(body, str) else body, parse_float=Decimal)
    except ValueError:
        return None


def credential(name):
    """The fields of a credential that is bound to this tool: credential("crm")["token"]."""
    return MappingProxyType(_answer({'call': 'credential', 'name': name}))


def _answer(question):
    answer = json.loads(_ask(json.dumps(question, allow_nan=False)))
    if 'refused' in answer:
        raise HostCallRefused(answer['refused'])
    return answer['value']
