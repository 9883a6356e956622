import { readAnswer } from './read-answer.js';

const call = { name: 'http_request', arguments: '{"method":"GET"}' };
const asked = { id: 'c1', name: 'http_request', arguments: { method: 'GET' } };
const withMessage = (message: unknown, finish_reason: unknown = 'stop') =>
  readAnswer(JSON.stringify({ choices: [{ index: 0, message, finish_reason }], usage: { prompt_tokens: 3 } }));
const withCall = (tool_call: unknown) => withMessage({ content: null, tool_calls: [tool_call] }, 'tool_calls');

describe('the calls of an answer', () => {
  it.each([
    ['complete', { id: 'c1', type: 'function', function: call }],
    ['without a type', { id: 'c1', function: call }],
    ['with a number as id', { id: 1, function: call }, '1'],
    ['without an id', { function: call }, ''],
    ['with a null id', { id: null, function: call }, ''],
    ['with an object as arguments', { id: 'c1', function: { ...call, arguments: { method: 'GET' } } }],
    ['without the inner object', { id: 'c1', ...call }],
    ['with `input`', { id: 'c1', name: call.name, input: { method: 'GET' } }],
  ])('%s are read', (_what, given, id = 'c1') => {
    expect(withCall(given)).toMatchObject({ is: 'answer', text: '', tool_calls: [{ ...asked, id }] });
  });

  it('are read in the older form, in one object, in the content, and past null entries', () => {
    const tool_calls = [asked];
    expect(withMessage({ content: null, function_call: call })).toMatchObject({ tool_calls: [{ ...asked, id: '' }] });
    expect(withMessage({ tool_calls: { id: 'c1', function: call } })).toMatchObject({ tool_calls });
    expect(withMessage({ tool_calls: { 0: { id: 'c1', function: call } } })).toMatchObject({ tool_calls });
    expect(withMessage({ tool_calls: [null, { id: 'c1', function: call }] })).toMatchObject({ tool_calls });
    const part = { type: 'tool_use', id: 'c1', name: call.name, input: { method: 'GET' } };
    expect(withMessage({ content: [{ type: 'text', text: 'I look.' }, part] })).toMatchObject({
      text: 'I look.',
      tool_calls,
    });
  });

  it('without a name keep an empty one', () => {
    for (const given of [{ id: 'c1' }, { id: 'c1', function: null }, { id: 'c1', function: { arguments: '{}' } }]) {
      expect(withCall(given)).toMatchObject({ tool_calls: [{ id: 'c1', name: '', arguments: {} }] });
    }
  });
});

describe('the text of an answer', () => {
  it.each([
    ['Hello.', 'Hello.'],
    [null, ''],
    [undefined, ''],
    [7, '7'],
    [['Hel', 'lo.'], 'Hello.'],
    [[{ type: 'text', text: 'Hello.' }], 'Hello.'],
    [[{ type: 'output_text', text: { value: 'Hello.' } }], 'Hello.'],
    [
      [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'Hello.' },
      ],
      'Hello.',
    ],
    [{ type: 'text', text: 'Hello.' }, 'Hello.'],
  ])('is read from %j', (content, text) => {
    expect(withMessage({ content, reasoning_content: 'Hm.', reasoning: { odd: true } })).toMatchObject({ text });
  });

  it('is read from the shapes of other endpoints', () => {
    for (const body of [
      { choices: [{ text: 'Hello.' }] },
      { choices: [{ delta: { content: 'Hello.' } }] },
      { choices: { message: { content: 'Hello.' } } },
      { choices: [null, { message: 'Hello.' }] },
      [{ choices: [{ message: { content: 'Hello.' } }] }],
    ]) {
      expect(readAnswer(JSON.stringify(body))).toMatchObject({ is: 'answer', text: 'Hello.', finish_reason: 'other' });
    }
  });

  it('is empty where the model refuses, and the refusal is kept', () => {
    expect(withMessage({ content: null, refusal: 'No.' })).toMatchObject({ text: '', refusal: 'No.' });
    expect(withMessage({ content: [{ type: 'refusal', refusal: 'No.' }] })).toMatchObject({ text: '', refusal: 'No.' });
    for (const refusal of [null, false, '', {}])
      expect(withMessage({ content: 'Yes.', refusal })).not.toHaveProperty('refusal');
  });
});

it.each([
  ['stop', 'stop'],
  ['STOP', 'stop'],
  ['end_turn', 'stop'],
  ['eos', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content-filter'],
  ['tool_use', 'tool-calls'],
  ['error', 'error'],
  ['surprise', 'other'],
  [null, 'other'],
  [7, 'other'],
])('a finish_reason %j is %s', (given, finish_reason) => {
  expect(withMessage({ content: 'x' }, given)).toMatchObject({ finish_reason });
});

it('calls without a finish_reason are calls', () => {
  expect(withMessage({ tool_calls: [{ function: call }] }, null)).toMatchObject({ finish_reason: 'tool-calls' });
});

describe('a stream that nobody asked for', () => {
  const events = (...chunks: unknown[]) => chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
  const delta = (given: unknown, finish_reason: string | null = null) => ({
    choices: [{ delta: given, finish_reason }],
  });

  it('becomes one answer', () => {
    const part = (index: number, rest: object) => delta({ tool_calls: [{ index, ...rest }] });
    const text = events(
      delta({ role: 'assistant', content: 'I ' }),
      delta({ content: 'look.' }),
      part(0, { id: 'c1', function: { name: 'http_request', arguments: '' } }),
      part(0, { function: { arguments: '{"method":' } }),
      part(1, { id: 'c2', function: { name: 'other', arguments: '{}' } }),
      part(0, { function: { arguments: '"GET"}' } }),
      delta({}, 'tool_calls'),
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } },
    );
    expect(readAnswer(`: comment\n\n${text}data: [DONE]\n\n`)).toEqual({
      is: 'answer',
      text: 'I look.',
      tool_calls: [asked, { id: 'c2', name: 'other', arguments: {} }],
      finish_reason: 'tool-calls',
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    });
  });

  it('without indexes becomes one answer by the ids of its calls', () => {
    const fragment = (id: string | undefined, given: string) =>
      delta({ tool_calls: [{ id, function: { name: id && 'http_request', arguments: given } }] });
    const text = events(
      fragment('c1', '{"method"'),
      fragment(undefined, ':"GET"}'),
      fragment('c2', '{}'),
      delta({}, 'stop'),
    );
    expect(readAnswer(text)).toMatchObject({ tool_calls: [asked, { id: 'c2', arguments: {} }] });
  });

  it('that breaks off is an error, and one that reports an error too', () => {
    expect(readAnswer(events(delta({ content: 'To begin' })))).toMatchObject({ finish_reason: 'error' });
    expect(readAnswer(events(delta({ content: 'T' }), { error: { code: 429 } }))).toMatchObject({
      is: 'error',
      status: 429,
    });
  });
});

describe('an error within a 200', () => {
  it.each([
    [{ error: { message: 'Provider returned error', code: 502 } }, 502],
    [{ error: { message: 'x', code: 'rate_limit_exceeded' } }, 429],
    [{ error: { message: 'x', code: 'context_length_exceeded' } }, 413],
    [{ error: { message: 'x', type: 'invalid_api_key' } }, 401],
    [{ error: { message: 'x', type: 'server_error' } }, 503],
    [{ error: 'Rate limit reached' }, 429],
    [{ object: 'error', message: 'x', code: 400 }, 400],
    [{ type: 'error', error: { type: 'overloaded_error' } }, 429],
    [[{ error: { code: 503 } }], 503],
    [{ choices: [{ error: { code: 500 } }] }, 500],
    [{ error: { message: 'Something odd' } }, null],
  ])('%j has the status %j', (body, status) => {
    expect(readAnswer(JSON.stringify(body))).toMatchObject({ is: 'error', status });
  });
});

it.each([
  '',
  '7',
  '"text"',
  'null',
  '[]',
  '{}',
  '{"choices": 7',
  '{"choices":[]}',
  '{"choices":[{}]}',
  '{"choices":null}',
  '<html></html>',
  '['.repeat(100_000),
  'data: nonsense\n\n',
])('%.40s cannot be read', (body) => {
  expect(readAnswer(body)).toMatchObject({ is: 'unreadable', why: expect.any(String) });
});

it('the usage of an answer that cannot be read is kept', () => {
  expect(readAnswer('{"choices":[],"usage":{"prompt_tokens":3}}')).toMatchObject({ usage: { prompt_tokens: 3 } });
});
