import type { PythonCompileAnswer } from '#libs/contracts';
import { type RunnerWorld, startRunner } from '../testing/runner-world.js';

let runner: RunnerWorld;

beforeAll(async () => {
  runner = await startRunner();
});
afterAll(() => runner.close());

const places = (answer: PythonCompileAnswer): [number, number, string][] =>
  answer.ok ? [] : answer.errors.map(({ line, column, code }) => [line, column, code]);

/** The schema of a tool's only argument `a`, of that type. */
async function schemaOf(hint: string, before = ''): Promise<unknown> {
  const answer = await runner.compile(`${imports}${before}\ndef tool(a: ${hint}):\n    """Takes a."""\n`);
  if (!answer.ok) throw new Error(JSON.stringify(answer.errors));
  return (answer.input_schema['properties'] as Record<string, unknown>)['a'];
}

const imports = `from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, Any, Literal, NotRequired, Optional, TypedDict, Union
`;

describe('a tool that compiles', () => {
  it('has the name, description and schema of its function', async () => {
    const source = `
import json


def _helper():
    pass


def find_order(number: int, customer: str = "anybody", *, fast: bool = False) -> dict:
    """Finds an order.

    Looks in the archive, too.

    Args:
        number: the order's number,
            as printed
        customer (str): who ordered

    Returns:
        the order
    """
    credential("crm")["token"]
    return http_request("GET", "https://example.com")
`;
    expect(await runner.compile(source)).toEqual({
      ok: true,
      name: 'find_order',
      description: 'Finds an order.\n\nLooks in the archive, too.',
      input_schema: {
        type: 'object',
        properties: {
          number: { type: 'integer', description: "the order's number, as printed" },
          customer: { type: 'string', description: 'who ordered', default: 'anybody' },
          fast: { type: 'boolean', default: false },
        },
        required: ['number'],
        additionalProperties: false,
      },
      uses: { http: true, credentials: ['crm'] },
    });
  });

  it.each<[string, unknown]>([
    ['float', { type: 'number' }],
    ['None', { type: 'null' }],
    ['list', { type: 'array' }],
    ['list[int]', { type: 'array', items: { type: 'integer' } }],
    ['dict', { type: 'object' }],
    ['dict[str, list[bool]]', { type: 'object', additionalProperties: { type: 'array', items: { type: 'boolean' } } }],
    ['Optional[str]', { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    ['Union[int, str]', { anyOf: [{ type: 'integer' }, { type: 'string' }] }],
    ['int | None', { anyOf: [{ type: 'integer' }, { type: 'null' }] }],
    ['Literal["a", 2, None]', { enum: ['a', 2, null] }],
    ['Annotated[int, "how many"]', { type: 'integer', description: 'how many' }],
    ['list[Annotated[str, "one"]]', { type: 'array', items: { type: 'string', description: 'one' } }],
  ])('may have %s', async (hint, schema) => expect(await schemaOf(hint)).toEqual(schema));

  it('may use classes, also when type hints are text', async () => {
    const classes = `
class Color(Enum):
    RED = "red"
    BLUE = "blue"

@dataclass
class Point:
    x: int
    color: Color
    y: Annotated[float, "height"] = 0.5
    tags: list[str] = field(default_factory=list)

class Line(TypedDict):
    start: Point
    name: NotRequired[str]
`;
    const schema = {
      type: 'object',
      properties: {
        start: {
          type: 'object',
          properties: {
            x: { type: 'integer' },
            color: { enum: ['red', 'blue'] },
            y: { type: 'number', description: 'height' },
            tags: { type: 'array', items: { type: 'string' } },
          },
          required: ['x', 'color'],
          additionalProperties: false,
        },
        name: { type: 'string' },
      },
      required: ['start'],
      additionalProperties: false,
    };
    expect(await schemaOf('Line', classes)).toEqual(schema);
    const answer = await runner.compile(
      `from __future__ import annotations\n${imports}${classes}\ndef tool(a: Line):\n    """Takes a."""\n`,
    );
    expect(answer).toMatchObject({ ok: true, input_schema: { properties: { a: schema } } });
  });

  it('may import modules that only compute', async () => {
    const source = `import json, re, datetime\nfrom urllib import parse\nimport urllib.parse\nfrom collections import abc\ndef tool():\n  """Does."""\n`;
    expect(await runner.compile(source)).toMatchObject({ ok: true });
  });
});

describe('a source that is not a tool', () => {
  const documented = '\n    """Does."""\n';

  it.each<[string, string, [number, number, string][]]>([
    ['a missing hint', `def tool(a, b: int):${documented}`, [[1, 10, 'missing_hint']]],
    ['a missing docstring', 'def tool():\n    pass\n', [[1, 1, 'missing_docstring']]],
    [
      'a docstring of arguments alone',
      'def tool():\n    """\n    Args:\n        a: b\n    """\n',
      [[1, 1, 'missing_docstring']],
    ],
    [
      '*args and **kwargs',
      `def tool(*args: int, **kwargs: int):${documented}`,
      [
        [1, 11, 'star_arguments'],
        [1, 24, 'star_arguments'],
      ],
    ],
    ['two public functions', `def tool():${documented}def other():${documented}`, [[3, 1, 'several_functions']]],
    ['an argument that no call can give', 'def a(__proto__: str):\n    "A."\n', [[1, 7, 'invalid_name']]],
    ['no public function', '_a = 1\n', [[1, 1, 'no_function']]],
    ['an async function', `async def tool():${documented}`, [[1, 1, 'async_function']]],
    ['a decorator', `def _d(f):\n    return f\n@_d\ndef tool():${documented}`, [[3, 2, 'decorated']]],
    ['a syntax error', 'def tool(:\n', [[1, 10, 'syntax_error']]],
    ['a null byte', 'def tool():\u0000\n', [[1, 1, 'syntax_error']]],
    ['an import', `import math\nimport os\ndef tool():${documented}`, [[2, 1, 'import_not_allowed']]],
    ['an import inside', `def tool():${documented}    from socket import socket\n`, [[3, 5, 'import_not_allowed']]],
    ['an unsupported type', `def tool(a: int, b: bytes):${documented}`, [[1, 21, 'unsupported_type']]],
    ['keys that are no text', `def tool(a: dict[int, str]):${documented}`, [[1, 13, 'unsupported_type']]],
    ['any type', `from typing import Any\ndef tool(a: Any):${documented}`, [[2, 13, 'unsupported_type']]],
    ['a default that is no JSON', `def tool(a: list = [b"x"]):${documented}`, [[1, 10, 'unsupported_default']]],
    ['a name that does not exist', `def tool(a: list[Nothing]):${documented}`, [[1, 18, 'unsupported_type']]],
    ['statements that fail', `x = 1\ny = 1 / 0\ndef tool():${documented}`, [[2, 1, 'load_failed']]],
    [
      'a credential by a variable',
      `def tool(n: str):${documented}    credential(n)\n`,
      [[3, 5, 'credential_not_literal']],
    ],
  ])('is refused at its place: %s', async (_title, source, expected) => {
    expect(places(await runner.compile(source))).toEqual(expected);
  });

  it('is refused with all reasons at once', async () => {
    const answer = await runner.compile('import os\ndef tool(a, *b):\n    pass\n');
    expect(places(answer).map(([, , code]) => code)).toEqual([
      'import_not_allowed',
      'missing_docstring',
      'missing_hint',
      'star_arguments',
    ]);
  });

  it('cannot take the runner down', async () => {
    const sources = [
      'while True: pass\n',
      'raise SystemExit\n',
      'x = "a" * 10**10\n',
      'http_request("GET", "http://x")\n',
    ];
    const short = await startRunner({ PYTHON_COMPILE_MS: 500 });
    for (const source of sources) {
      expect(places(await short.compile(`${source}def tool():${documented}`))[0]?.[2]).toBe('load_failed');
    }
    expect(places(await short.compile(`${'#'.repeat(70_000)}`))).toEqual([[1, 1, 'source_too_large']]);
    expect(places(await short.compile(`${'('.repeat(60_000)}`))).toEqual([[1, expect.any(Number), 'syntax_error']]);
    expect(await short.compile(`def tool():${documented}`)).toMatchObject({ ok: true });
    await short.close();
  });
});

describe('the route', () => {
  it('is for the registry only', async () => {
    const source = 'def tool():\n    """Does."""\n';
    const codeAs = async (subject: string, scopes: ('service' | 'admin')[]): Promise<unknown> =>
      (await runner.post('/internal/compile', { source }, { subject, scopes })).body['code'];
    expect(await codeAs('service:engine', ['service'])).toBe('caller_not_allowed');
    expect(await codeAs('key:1', ['admin'])).toBe('scope_missing');
    expect(await codeAs('service:mcp-registry', ['service'])).toBeUndefined();
  });
});
