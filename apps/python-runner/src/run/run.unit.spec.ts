import { type FakeEngine, fakeEngine } from '../testing/fake-engine.js';
import { runOf, type RunnerWorld, startRunner, toolOf } from '../testing/runner-world.js';

const eventBody = '\ufeff{"id": 12345678901234567890, "price": 1.10, "deep": [[[[{"n": null}]]]]}';
const eventAnswers: Record<string, [number, object]> = {
  '/json/event': [200, { id: 'evt_1', content_type: 'application/json', body: eventBody, body_encoding: 'utf8' }],
  '/bytes/event': [200, { id: 'evt_1', content_type: null, body: '//4=', body_encoding: 'base64' }],
  '/huge/event': [200, { id: 'evt_1', content_type: null, body: 'x'.repeat(65_537), body_encoding: 'utf8' }],
  '/gone/event': [200, { error: { code: 'event_body_not_found', message: 'It came by the API.' } }],
};
let runner: RunnerWorld;
let engine: FakeEngine;

beforeAll(async () => {
  engine = await fakeEngine((path) => {
    if (path === '/refused') return [200, { error: { code: 'address_not_public', message: 'Not there.' } }];
    if (path === '/expired') return [401, { detail: 'The token is over.' }];
    if (path.endsWith('/event')) return eventAnswers[path] ?? [404, {}];
    if (path === '/large') return [200, { status: 200, headers: {}, body: 'x'.repeat(300_000), truncated: false }];
    return [200, { status: 201, headers: { 'x-a': 'b' }, body: 'made', truncated: false }];
  });
  runner = await startRunner({ ENGINE_URL: engine.url });
});
afterAll(async () => {
  await runner.close();
  await engine.close();
});

describe('a call', () => {
  it('returns the result, what was printed and how long it took', async () => {
    const source = toolOf('print("adding")\nreturn {"sum": a + b, "of": [a, b]}', 'a: int, b: float = 0.5');
    const answer = await runner.run(source, { arguments: { a: 2 } });
    expect(answer).toEqual({
      ok: true,
      result: { sum: 2.5, of: [2, 0.5] },
      stdout: 'adding\n',
      truncated: false,
      duration_ms: expect.any(Number),
    });
  });

  it('finds nothing that a call of another conversation left in a module, or in the tool', async () => {
    const body = `import decimal, json
found = [getattr(json, "left", None), decimal.getcontext().prec, getattr(tool, "left", None)]
json.left = tool.left = who
decimal.getcontext().prec = 7
return found`;
    const source = toolOf(body, 'who: str');
    const found = async (who: string, more: object) => {
      const answer = await runner.run(source, { arguments: { who }, ...more });
      return answer.ok ? answer.result : answer;
    };
    const nothing = [null, 28, null];
    expect(await found('ada', { conversation: 'ses_a' })).toEqual(nothing);
    expect(await found('bob', { conversation: 'ses_b' })).toEqual(nothing);
    // A call without a conversation is of its turn.
    expect(await found('eve', { call_id: 'trn_1.a' })).toEqual(nothing);
    expect(await found('eve', { call_id: 'trn_2.a' })).toEqual(nothing);
  });

  it('gives the tool the types that its hints promise', async () => {
    const source = `
from dataclasses import dataclass
from enum import Enum

class Color(Enum):
    RED = "red"

@dataclass
class Point:
    x: int
    color: Color
    near: list["Point"] | None = None

def tool(p: Point, f: float, names: dict[str, Color]) -> dict:
    """Does."""
    return {"kinds": [type(p).__name__, p.color.name, type(f).__name__, names["a"].name], "point": p}
`.replace('list["Point"]', 'list[int]');
    const given = { p: { x: 1, color: 'red', near: [3] }, f: 2, names: { a: 'red' } };
    expect(await runner.run(source, { arguments: given })).toMatchObject({
      result: { kinds: ['Point', 'RED', 'float', 'RED'], point: { x: 1, color: 'red', near: [3] } },
    });
    const wrong = { ...given, p: { x: 'one', color: 'red' } };
    expect(await runner.run(source, { arguments: wrong })).toMatchObject({
      ok: false,
      error: 'exception',
      message: 'Mismatch: p.x is not a whole number',
    });
  });

  it('reports an exception with its line, and a result that is not JSON', async () => {
    expect(await runner.run(toolOf('print("before")\nreturn 1 / 0'))).toEqual({
      ok: false,
      error: 'exception',
      message: 'ZeroDivisionError: division by zero (line 4)',
      line: 4,
      stdout: 'before\n',
    });
    for (const value of ['object()', 'b"bytes"', 'float("nan")', '{1, 2}', '"x" * 70_000']) {
      const { ok, ...rest } = await runner.run(toolOf(`return ${value}`));
      expect({ value, ok, ...rest }).toMatchObject({ ok: false, error: 'invalid_result' });
    }
    expect(await runner.run(toolOf('a = []\na.append(a)\nreturn a'))).toMatchObject({ error: 'invalid_result' });
  });

  it('sees no globals of the previous call', async () => {
    const source = `seen = []\n${toolOf('seen.append(1)\nreturn len(seen)')}`;
    expect(await runner.run(source)).toMatchObject({ result: 1 });
    expect(await runner.run(source)).toMatchObject({ result: 1 });
  });

  it('keeps what is printed within its limit', async () => {
    const answer = await runner.run(toolOf('for _ in range(10):\n    print("x" * 1_000_000)\nreturn 1'));
    expect(answer).toMatchObject({ ok: true, result: 1, truncated: true, stdout: 'x'.repeat(4_096) });
  });
});

describe('a credential', () => {
  const credentials = { crm: { token: 's3cret', user: 'u' } };

  it('is given by name, to a call that has it', async () => {
    const source = toolOf('return [credential("crm")["token"], dict(credential("crm"))]');
    expect(await runner.run(source, { credentials })).toMatchObject({ result: ['s3cret', credentials.crm] });
  });

  it('is reported with the addresses that the code asked for before and after it was read', async () => {
    const source = toolOf(
      'http_request("GET", "https://a.test/x?q=1")\nhttp_request("GET", "https://a.test/y")\n' +
        'credential("crm")\nhttp_request("GET", "https://a.test:8443/z")\nraise ValueError("no")',
    );
    const engine = await fakeEngine(() => [200, { status: 200, headers: {}, body: '', truncated: false }]);
    const own = await startRunner({ ENGINE_URL: engine.url });
    const callback = { callback_url: `${engine.url}/internal/python-callbacks`, callback_token: 't' };
    const answer = await own.run(source, { credentials, ...callback });
    await Promise.all([own.close(), engine.close()]);
    expect(answer).toMatchObject({
      ok: false,
      error: 'exception',
      requests: [
        { origin: 'https://a.test', credentials: [] },
        { origin: 'https://a.test:8443', credentials: ['crm'] },
      ],
    });
  });

  it('that is not bound is refused, also to the next call in the same child', async () => {
    const source = toolOf('return credential("crm")["token"]');
    expect(await runner.run(source, { credentials })).toMatchObject({ ok: true });
    for (const name of ['crm', 'constructor', '__proto__']) {
      const answer = await runner.run(toolOf(`return dict(credential("${name}"))`));
      expect(answer).toMatchObject({ ok: false, error: 'host_call_refused' });
    }
  });
});

describe('http_request', () => {
  const callback_token = 'one-call-token';
  const post = toolOf('return http_request("POST", "https://example.com", headers={"x-b": "c"}, body={"a": 1})');

  it('is made by the engine, with the token of the call', async () => {
    const answer = await runner.run(post, { callback_url: `${engine.url}/callback`, callback_token });
    const result = { status: 201, headers: { 'x-a': 'b' }, body: 'made', truncated: false };
    expect(answer).toMatchObject({ ok: true, result });
    expect(engine.asked.at(-1)).toEqual({
      authorization: `Bearer ${callback_token}`,
      body: { method: 'POST', url: 'https://example.com', headers: { 'x-b': 'c' }, body: { a: 1 } },
    });
  });

  it.each([
    ['/refused', 'address_not_public: Not there.'],
    ['/expired', 'The token is over.'],
    ['/large', 'The request got no answer (response_too_large).'],
  ])('is refused when the engine answers by %s', async (path, message) => {
    const answer = await runner.run(post, { callback_url: `${engine.url}${path}`, callback_token });
    expect(answer).toMatchObject({ ok: false, error: 'host_call_refused', message });
  });

  it('can be caught when it is refused, and is limited in number', async () => {
    const source = toolOf(
      'told = []\nfor n in range(7):\n    try:\n        told.append(http_request("GET", "https://e.com")["status"])\n    except Exception as e:\n        told.append(str(e))\nreturn told',
    );
    const refusal = 'A call may use the platform at most 5 times.';
    expect(await runner.run(source, { callback_url: engine.url, callback_token })).toMatchObject({
      result: [201, 201, 201, 201, 201, refusal, refusal],
    });
  });

  it('is refused without a callback, and invalid arguments reach nobody', async () => {
    const before = engine.asked.length;
    expect(await runner.run(post)).toMatchObject({ error: 'host_call_refused' });
    for (const call of [
      'http_request(1, "u")',
      'http_request("GET", "u" * 9000)',
      'http_request("GET", "u", headers=[])',
    ]) {
      const answer = await runner.run(toolOf(`return ${call}`), { callback_url: engine.url, callback_token });
      expect(answer).toMatchObject({ ok: false, error: 'host_call_refused' });
    }
    expect(engine.asked).toHaveLength(before);
  });
});

describe('the event of a call', () => {
  const callback_token = 'one-call-token';
  const runFor = (path: string, body: string) =>
    runner.run(toolOf(body), { callback_url: `${engine.url}/${path}`, callback_token });

  it('is read whole, with every digit', async () => {
    const answer = await runFor(
      'json',
      'given = event()\npayload = given["payload"]\nreturn [given["id"], given["content_type"], str(payload["id"]), str(payload["price"]), payload["deep"], given["body"]]',
    );
    const deep = [[[[{ n: null }]]]];
    expect(answer).toMatchObject({
      result: ['evt_1', 'application/json', '12345678901234567890', '1.10', deep, eventBody],
    });
    expect(engine.asked.at(-1)).toEqual({ authorization: `Bearer ${callback_token}`, body: {} });
  });

  it('is bytes without a payload where it is not text', async () => {
    expect(await runFor('bytes', 'return [list(event()["body"]), event()["payload"]]')).toMatchObject({
      result: [[255, 254], null],
    });
  });

  it.each([
    ['huge', /more than 65536 bytes/],
    ['gone', /event_body_not_found: It came by the API/],
  ])('is refused, never truncated: %s', async (path, message) => {
    const answer = await runFor(path, 'return event()');
    expect(answer).toMatchObject({ ok: false, error: 'host_call_refused', message: expect.stringMatching(message) });
  });

  it('is missing where no event led to the call', async () => {
    expect(await runner.run(toolOf('return event()'))).toMatchObject({ ok: false, error: 'host_call_refused' });
  });

  it('keeps its digits in what the tool returns', async () => {
    const answer = await runFor('json', 'return {"all": event()["payload"], "safe": 2**53 - 1, "more": [-(2**53)]}');
    expect(answer).toMatchObject({
      result: {
        all: { id: '12345678901234567890', price: '1.10' },
        safe: Number.MAX_SAFE_INTEGER,
        more: ['-9007199254740992'],
      },
    });
  });
});

describe('the route', () => {
  const source = toolOf('return 1');
  const codeOf = async (more: object, as = {}): Promise<unknown> =>
    (await runner.post('/internal/run', { ...runOf(source), ...more }, as)).body['code'];

  it('refuses callers other than the engine, and an organization that the token does not name', async () => {
    expect(await codeOf({}, { subject: 'service:mcp-registry' })).toBe('caller_not_allowed');
    expect(await codeOf({}, { scopes: ['admin'] })).toBe('scope_missing');
    expect(await codeOf({ organization_id: 'org_b' })).toBe('other_organization');
  });

  it('refuses a source that was not approved, addresses other than the engine, and what is too large', async () => {
    expect(await codeOf({ source: `${source}#` })).toBe('source_changed');
    for (const callback_url of ['http://127.0.0.1:1/', 'https://example.com/', 'file:///etc/passwd', 'x']) {
      expect(await codeOf({ callback_url })).toBe('callback_not_allowed');
    }
    expect(await codeOf({ arguments: { a: 'x'.repeat(1_100_000) } })).toBe('invalid_fields');
    expect(await codeOf({ credentials: { crm: { token: 1 } } })).toBe('invalid_fields');
    expect(await codeOf({ timeout_ms: 0 })).toBe('invalid_fields');
    expect(await codeOf({})).toBeUndefined();
  });
});
