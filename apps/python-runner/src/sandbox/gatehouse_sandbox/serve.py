"""The one way in: a request as JSON -> an answer as JSON."""

import json
import random

from . import host
from .compile_tool import compile_tool
from .lockdown import lock_down
from .run_tool import run_tool


def start(ask):
    """@param ask a question to the host as JSON -> its answer as JSON"""
    host.connect(ask)
    # Every child starts from the same memory snapshot, which includes this module's state.
    random.seed()
    lock_down()


def serve(text, max_result_bytes, max_stdout_chars):
    request = json.loads(text)
    if request['kind'] == 'compile':
        answer = compile_tool(request['source'])
    else:
        answer = run_tool(request, max_result_bytes, max_stdout_chars)
    return json.dumps(answer, ensure_ascii=False)
