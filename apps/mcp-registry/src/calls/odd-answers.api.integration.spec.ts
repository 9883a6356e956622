import { gzipSync } from 'node:zlib';
import {
  type Case,
  content,
  ended,
  error,
  failed,
  fine,
  noMessage,
  noResult,
  type OddWorld,
  openOddWorld,
  result,
  sends,
  text,
  works,
} from '../testing/odd-answers.js';

let world: OddWorld;
beforeAll(async () => {
  world = await openOddWorld();
});
afterAll(() => world.close());

const bodies: Case[] = [
  ['nothing', sends(''), noMessage],
  ['null', sends('null'), noMessage],
  ['an empty array', sends('[]'), ended],
  ['an empty object', sends('{}'), noMessage],
  ['a text', sends('"hello"'), noMessage],
  ['a number', sends('42'), noMessage],
  ['half of an object', sends('{"jsonrpc":"2.0","id":ID,"resu'), noMessage],
  ['two objects', sends(fine + fine), noMessage],
  ['an array of one answer', sends(`[${fine}]`), works('fine')],
  ['a byte order mark before it', sends(`\ufeff${fine}`), works('fine')],
  ['NaN', sends(fine.replace('"fine"', 'NaN')), noMessage],
  ['invalid UTF-8', sends(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])), noMessage],
  ['gzip that nobody asked for', sends(gzipSync('{}'), { 'content-encoding': 'gzip' }), noMessage],
  [
    'more than the limit',
    content(...Array.from({ length: 50_000 }, () => text(''))),
    failed('response_too_large', '262144'),
  ],
];

const envelopes: Case[] = [
  ['another id', sends(fine.replace('ID', '4711')), ended],
  ['its id as a text', sends(fine.replace('ID', '"ID"')), works('fine')],
  ['null as its id', sends(fine.replace('ID', 'null')), noMessage],
  ['no id', sends(fine.replace('"id":ID,', '')), noMessage],
  ['an object as its id', sends(fine.replace('ID', '{}')), noMessage],
  ['an error of no id', sends('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"odd"}}'), noMessage],
  ['a result and an error', sends(fine.replace('}]}}', '}]},"error":{"code":1,"message":"x"}}')), noMessage],
  ['neither result nor error', sends('{"jsonrpc":"2.0","id":ID}'), noMessage],
  ['version 1.0', sends(fine.replace('2.0', '1.0')), noMessage],
  ['no version', sends(fine.replace('"jsonrpc":"2.0",', '')), noMessage],
  ['a request of its own', sends('{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{}}'), ended],
];

const results: Case[] = [
  ['null', result(null), noMessage],
  ['a text', result('done'), noMessage],
  ['an array', result([]), noMessage],
  ['nothing', result({}), works('')],
  ['content null', result({ content: null }), noResult('content')],
  ['a text as its content', result({ content: 'done' }), noResult('content')],
  ['an object as its content', result({ content: {} }), noResult('content')],
  ['no content', content(), works('')],
  ['null as a block', content(null), noResult('content.0')],
  ['a block of no type', content({ text: 'x' }), noResult('content.0')],
  ['a block of another type', content({ type: 'hologram', data: 'x' }), noResult('content.0')],
  ['a text block without text', content({ type: 'text' }), noResult('content.0')],
  ['a number as text', content({ type: 'text', text: 7 }), noResult('content.0')],
  ['an image without data', content({ type: 'image', mimeType: 'image/png' }), noResult('content.0')],
  ['an image of no type', content({ type: 'image', data: 'AAAA' }), noResult('content.0')],
  [
    'an image that is no base64',
    content({ type: 'image', mimeType: 'image/png', data: '%' }),
    noResult('content.0.data'),
  ],
  ['a resource without a URI', content({ type: 'resource', resource: { text: 'x' } }), noResult('content.0')],
  [
    'a resource of both kinds',
    content({ type: 'resource', resource: { uri: 'a:b', text: 'x', blob: 'AA' } }),
    works('x'),
  ],
  ['a link without a name', content({ type: 'resource_link', uri: 'a:b' }), noResult('content.0')],
  [
    '3,000 blocks',
    content(...Array.from({ length: 3_000 }, () => text('line'))),
    works('line\n'.repeat(819) + 'l', { truncated: true }),
  ],
  [
    'an error and nothing else',
    result({ isError: true }),
    works('[the tool reports an error without a word]', { is_error: true }),
  ],
  [
    'an error of no words',
    result({ isError: true, content: [text('')] }),
    works('[the tool reports an error without a word]', { is_error: true }),
  ],
  [
    'an error in structured content',
    result({ isError: true, structuredContent: { why: 'shut' } }),
    works('', { is_error: true, structured: { why: 'shut' } }),
  ],
  ['a text as isError', result({ isError: 'yes', content: [] }), noResult('isError')],
  ['structured content alone', result({ structuredContent: { n: 1 } }), works('', { structured: { n: 1 } })],
  [
    'structured content that is an array',
    result({ content: [], structuredContent: [1] }),
    noResult('structuredContent'),
  ],
  ['structured content null', result({ content: [], structuredContent: null }), noResult('structuredContent')],
  ['structured content that is a text', result({ content: [], structuredContent: 'x' }), noResult('structuredContent')],
  [
    'structured content that its text says',
    result({ content: [text('{"n": 1}')], structuredContent: { n: 1 } }),
    works('{"n": 1}'),
  ],
  [
    'structured content that its text denies',
    result({ content: [text('{"n":1}')], structuredContent: { n: 2 } }),
    works('{"n":1}', { structured: { n: 2 } }),
  ],
  [
    '20,000 numbers',
    result({ structuredContent: { list: Array.from({ length: 20_000 }, (_, n) => n) } }),
    works('', { truncated: true }),
  ],
  [
    '3,000 levels',
    sends(`{"jsonrpc":"2.0","id":ID,"result":{"structuredContent":{"a":${'['.repeat(3_000)}${']'.repeat(3_000)}}}}`),
    works('', { truncated: true }),
  ],
  [
    'a prototype',
    sends('{"jsonrpc":"2.0","id":ID,"result":{"structuredContent":{"__proto__":{"a":1},"b":2}}}'),
    works('', { structured: { b: 2 } }),
  ],
  [
    'a task',
    result({ task: { taskId: 't', status: 'working' } }),
    failed('protocol_error', 'not with a result of MCP'),
  ],
];

const errors: Case[] = [
  ['nothing', error({}), noMessage],
  ['a text', error('broken'), noMessage],
  ['null', error(null), noMessage],
  ['a text as its code', error({ code: 'E1', message: 'broken' }), noMessage],
  ['no message', error({ code: 5 }), noMessage],
  ['an object as its message', error({ code: 5, message: { a: 1 } }), noMessage],
  ['100,000 characters', error({ code: 5, message: 'x'.repeat(100_000) }), failed('refused', 'x'.repeat(500))],
  ['invisible characters', error({ code: 5, message: 'sh\u200but\u202e' }), failed('refused', 'shut')],
  [
    'a page to log in',
    error({ code: -32_042, message: 'log in first', data: { elicitations: [] } }),
    failed('refused', 'log in first'),
  ],
];

const isNamed = async (...[, raw, outcome]: Case): Promise<void> =>
  expect(await world.outcomeOf(raw, outcome)).toEqual(outcome);

describe('a tool call whose answer', () => {
  it.each(bodies)('is %s', isNamed);
  it.each(envelopes)('has %s', isNamed);
  it.each(results)('has a result that is %s', isNamed);
  it.each(errors)('has an error that is %s', isNamed);

  it('is odd leaves nothing behind', async () => {
    expect(await world.leftBehind()).toEqual([]);
    expect({}).not.toHaveProperty('a');
  });
});
