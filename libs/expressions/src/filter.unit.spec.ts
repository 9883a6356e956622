import { compileFilter, type FilterInput } from './filter.js';

const input: FilterInput = {
  event: {
    type: 'issue_opened',
    sender: 'ada',
    message: 'the build is red',
    thread_id: '',
    is_dm: false,
    verified: true,
  },
  contact: { id: 'con_1', name: 'Ada', status: 'known' },
  request: { headers: { 'x-github-event': 'push', accept: 'a/b' }, query: { kind: 'a', page: '3' } },
  metadata: { amount: 150, tags: ['x', 'y'], repo: { name: 'gate' }, text: '12' },
};

function evaluate(expression: string, over: Partial<FilterInput> = {}): unknown {
  const compiled = compileFilter(expression);
  if ('problem' in compiled) throw new Error(compiled.problem.message);
  return compiled.filter.evaluate({ ...input, ...over });
}

function problem(expression: string): { message: string; start: number; end: number } {
  const compiled = compileFilter(expression);
  if (!('problem' in compiled)) throw new Error(`${expression} was accepted`);
  return compiled.problem;
}

describe('a filter', () => {
  it.each([
    'event.sender == "ada"',
    'metadata.amount > 100 && metadata.amount == 150',
    'metadata.tags.exists(tag, tag == "y")',
    '"x" in metadata.tags',
    'metadata.repo.name.startsWith("ga") || event.is_dm',
    'contact.status == "known" && !event.is_dm',
    'has(metadata.repo) && !has(metadata.nothing)',
    `request.headers['x-github-event'] == 'push' && request.headers.accept.startsWith("a/")`,
    '!("x-none" in request.headers) && has(request.query.kind) && !has(request.query.nothing)',
    'request.query.kind == "a" && request.query["kind"] in ["a", "b"] && int(request.query.page) > 2',
  ])('passes %s', (expression) => {
    expect(evaluate(expression)).toEqual({ result: 'passed' });
  });

  it.each([
    'metadata.amount + 1 > 150.5',
    '1 + metadata.amount == 151',
    'metadata.amount - 0.5 == 149.5',
    'metadata.amount * 2 >= 300',
    '2 * metadata.amount == 300.0',
    'metadata.amount / 4 == 37.5',
    'metadata.amount % 7 == 3',
    'metadata.amount % metadata.half == 0',
    '-metadata.amount < 1 - metadata.half',
    'metadata.amount + 1u == 151u',
    'metadata.amount == 150u && 150u == metadata.amount && 150 == 150u && 1u < metadata.half',
    'metadata.amount in [1, 150] && 150 in [0.5, metadata.amount]',
    'metadata.amount > 100 && metadata.amount > 100.5 && 100 < metadata.amount && 100.5 < metadata.amount',
    'metadata.amount == 150 && 150 == metadata.amount && metadata.amount != 150.5 && 150 != metadata.half',
    '1 == 1.0 && 1 + 1.5 > 2 && 2 * 1.5 == 3 && int(metadata.text) == 12.0',
    'size(metadata.tags) == 2.0 && size(metadata.tags) * 1.5 > 2 && metadata.amount > size(metadata.tags)',
    'metadata.numbers.all(n, n * 2 + 1 > 2) && metadata.numbers.exists(n, n % 2 == 0)',
    'metadata.numbers == [1, 2.5, 4] && [1, 2.5, 4] == metadata.numbers && metadata.numbers != [1]',
    'metadata.numbers[metadata.numbers[0] - 1] == 1',
    'metadata.numbers.map(n, n * 2)[1] == 5',
    '{"a": 1, "b": 2.5}["b"] > metadata.numbers[0]',
    'double(metadata.text) * 2 > 23 && int(metadata.text) + 0.5 < metadata.amount',
    'metadata.text.substring(metadata.numbers[0]) == "2" && metadata.text.substring(0, metadata.numbers[0]) == "1"',
    'metadata.text.indexOf("2", metadata.numbers[0]) == 1 && metadata.text.lastIndexOf("1", metadata.numbers[0]) == 0',
    'timestamp(metadata.amount) == timestamp("1970-01-01T00:02:30Z") && metadata.amount < 9007199254740991',
  ])('calculates with every kind of number: %s', (expression) => {
    const metadata = { ...input.metadata, half: 2.5, numbers: [1, 2.5, 4] };
    expect(evaluate(expression, { metadata })).toEqual({ result: 'passed' });
  });

  it.each([
    ['metadata.amount % 0 == 0', 'modulo by zero'],
    ['metadata.amount > "100"', 'a number and a text'],
    ['metadata.nothing > 3', 'null and a number: ask first'],
    ['metadata.tags + 1 == 2', 'a list and a number'],
    ['metadata.repo < 3', 'an object and a number'],
    ['metadata.yes * 2 > 1', 'true or false and a number'],
    ['metadata.amount.startsWith("1")', 'startsWith() cannot be used on a number: double('],
    ['metadata.tags.contains("x")', 'contains() cannot be used on a list: "x" in metadata.list'],
    ['event.message.contains(metadata.amount)', 'contains() on a text cannot be used with a number: double('],
    ['event.message.substring(metadata.amount) == "x"', '150 is no position in a text of 16 characters'],
    ['event.message.substring(2, metadata.repo.one) == "x"', 'cannot end at 1, before its start at 2'],
    ['double(metadata.tags) > 1.5', 'double() cannot be used with a list'],
    ['!metadata.amount', '! cannot be used with a number (metadata.amount is 150)'],
    ['metadata.none == 1', 'ask first, for example has(metadata.none) && …'],
    ['metadata.repo.none == 1', 'ask first, for example has(metadata.repo.none) && …'],
    ['metadata.repo["a b"] == 1', 'ask first, for example "a b" in metadata.repo && …'],
    ['request.query.none == "x"', 'ask first, for example has(request.query.none) && …'],
    ['request.query["none"] == "x"', 'ask first, for example "none" in request.query && …'],
    ['metadata.tags[5] == "x"', 'index out of bounds, index 5 >= size 2'],
  ])('says in words why %s cannot be decided', (expression, reason) => {
    const metadata = { ...input.metadata, nothing: null, yes: true, repo: { name: 'gate', one: 1 } };
    expect(evaluate(expression, { metadata })).toEqual({ result: 'error', reason: expect.stringContaining(reason) });
  });

  it('reads headers and query of a message that came by no webhook as none', () => {
    const request = { headers: {}, query: {} };
    expect(evaluate('"x-github-event" in request.headers', { request })).toMatchObject({ result: 'filtered' });
    expect(evaluate('request.headers["x-github-event"] == "push"', { request })).toEqual({
      result: 'error',
      reason: expect.stringMatching(/No such key: x-github-event: .*"x-github-event" in request\.headers && …/),
    });
  });

  it('says which clause was false, and what it saw', () => {
    expect(evaluate('event.verified && metadata.amount > 200 && event.sender == "ada"')).toEqual({
      result: 'filtered',
      clause: 'metadata.amount > 200',
      seen: 'metadata.amount is 150',
    });
    expect(evaluate('event.message.contains("green")')).toMatchObject({ seen: 'event.message is "the build is red"' });
    expect(evaluate('metadata.tags.exists(t, t == "z")')).toMatchObject({ seen: 'metadata.tags is ["x","y"]' });
  });

  it('is an error where it cannot decide, unless another clause is false', () => {
    expect(evaluate('metadata.missing == 1')).toMatchObject({
      result: 'error',
      reason: expect.stringContaining('missing'),
    });
    expect(evaluate('metadata.text > 3')).toEqual({
      result: 'error',
      reason:
        'metadata.text > 3: > cannot be used with a text and a number: double(…) makes a number of a text, ' +
        'string(…) a text of a number (metadata.text is "12")',
    });
    expect(evaluate('metadata.missing == 1 && event.sender == "bob"')).toMatchObject({ result: 'filtered' });
    expect(evaluate('metadata.text')).toMatchObject({
      result: 'error',
      reason: 'metadata.text is "12", neither true nor false',
    });
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('sees no inherited %s', (name) => {
    expect(evaluate(`"${name.toLowerCase()}" in request.headers || "${name}" in request.query`)).toMatchObject({
      result: 'filtered',
    });
    expect(evaluate(`metadata.${name} != null`)).toMatchObject({ result: 'error' });
    expect(evaluate(`"${name}" in metadata`)).toMatchObject({ result: 'filtered' });
  });

  it.each([
    ['event.sender ==', 'Unexpected token', 15, 15],
    ['event.sender == 5', '== cannot be used with a text and a number: double(', 0, 17],
    ['event.verified && event.sender > 5.5', '> cannot be used with a text and a number', 18, 36],
    ['(event.is_dm ? 1 : 2.5) > 1', 'write both alike', 1, 22],
    ['true && event.nope == "x"', 'nope', 14, 18],
    ['process.exit()', 'process', 0, 7],
    ['event.message.matches("^(a+)+$")', 'matches() is not available', 0, 32],
    ['metadata.a.all(x, metadata.b.all(y, y == x))', 'one level', 18, 43],
    ['request.headers["X-GitHub-Event"] == "push"', 'write "x-github-event"', 0, 33],
    ['true && "X-Event" in request.headers', 'write "x-event"', 8, 36],
    ['has(request.headers.Accept)', 'write "accept"', 4, 26],
    ['request.query.page > 2', '> cannot be used with a text and a number: double(', 0, 22],
    ['request.body == "x"', 'request has no body: it has headers and query', 8, 12],
    ['contact.email == "x"', 'contact has no email: it has id, name and status', 8, 13],
    ['event.message.charAt(0) == "h"', 'there is no function charAt()', 0, 23],
    ['event.message.startsWith(5)', 'startsWith() on a text cannot be used with a number', 0, 27],
    ['startsWith(event.message)', 'is used on a value: write value.startsWith(…)', 0, 25],
    ['-event.message == 1', '- cannot be used with a text', 0, 14],
    ['1 in [1.0]', 'in cannot be used with a number and a list: write all numbers alike', 0, 10],
    ['metadata.order == 9007199254740993', 'comes as a text: write "9007199254740993"', 18, 34],
    ['metadata.order in [1, 12345678901234567]', 'comes as a text: write "12345678901234567"', 22, 39],
    ['2u in metadata.numbers', 'write 2.', 0, 22],
    ['1 + 1', 'of type int, not bool', 0, 5],
  ])('refuses %s, with the place', (expression, message, start, end) => {
    expect(problem(expression)).toMatchObject({ message: expect.stringContaining(message), start, end });
  });

  it('is bounded in length, size and depth', () => {
    expect(problem('true'.padEnd(2_001, ' ')).message).toContain('2000');
    expect(problem(Array(200).fill('true').join('||'))).toBeTruthy();
    expect(problem(`${'('.repeat(60)}true${')'.repeat(60)}`)).toBeTruthy();
  });

  it('does not count the time for which its thread was suspended', () => {
    const asleep = new Int32Array(new SharedArrayBuffer(4));
    const metadata = {
      get slow(): string {
        Atomics.wait(asleep, 0, 0, 50);
        return 'as it is';
      },
    };
    expect(evaluate('metadata.slow == "as it is"', { metadata })).toEqual({ result: 'passed' });
  });

  it('gives up when the sender made it slow', () => {
    // Half a second of work, so that no processor finishes in time.
    const list = Array(5_000).fill('entry '.repeat(20_000));
    expect(evaluate('metadata.list.all(entry, !entry.contains("none")) && true', { metadata: { list } })).toMatchObject(
      { result: 'error', reason: expect.stringContaining('took over') },
    );
  });
});
