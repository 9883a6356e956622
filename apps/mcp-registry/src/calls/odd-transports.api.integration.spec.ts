import {
  asks,
  breaks,
  type Case,
  drips,
  empty,
  ended,
  event,
  failed,
  fine,
  late,
  type OddWorld,
  openOddWorld,
  type Raw,
  says,
  sends,
  stream,
  works,
} from '../testing/odd-answers.js';

let world: OddWorld;
beforeAll(async () => {
  world = await openOddWorld();
});
afterAll(() => world.close());

const types: Case[] = [
  [
    'text/html',
    sends('<title>Log in</title>', { 'content-type': 'text/html' }),
    failed('protocol_error', 'it sent a web page'),
  ],
  ['text/plain', sends(fine, { 'content-type': 'text/plain' }), failed('protocol_error', 'it sent text/plain')],
  [
    'application/octet-stream',
    sends(fine, { 'content-type': 'application/octet-stream' }),
    failed('protocol_error', 'it sent application/octet-stream'),
  ],
  [
    'application/json; charset=utf-16',
    sends(fine, { 'content-type': 'application/json; charset=utf-16' }),
    works('fine'),
  ],
  ['text/event-stream, and is JSON', sends(fine, { 'content-type': 'text/event-stream' }), ended],
  [
    'no type',
    (response) => void response.writeHead(200).end(fine),
    failed('protocol_error', 'it sent something of no type'),
  ],
];

const streams: Case[] = [
  ['nothing', stream(), ended],
  ['comments alone', stream(': ping\n\n', ': ping\n\n'), ended],
  ['half an event', stream('data: {"jsonrpc":"2.0"'), ended],
  ['half an event, and breaks', breaks('text/event-stream', 'data: {"jso'), ended],
  ['no JSON, and then an answer', stream(event('{oops'), event(fine)), works('fine')],
  ['an answer to another id, and then its own', stream(event(fine.replace('ID', '4711')), event(fine)), works('fine')],
  ['its answer twice', stream(event(fine), event(fine.replace('fine', 'again'))), works('fine')],
  ['lines that end in CR LF', stream(`event: message\r\nid: 1\r\ndata: ${fine}\r\n\r\n`), works('fine')],
  ['an answer in many lines', stream(`${fine.replaceAll(',', ',\n').replaceAll(/^/gm, 'data: ')}\n\n`), works('fine')],
  [
    'events of another kind',
    stream(`event: note\n${event(fine.replace('fine', 'wrong'))}`, event(fine)),
    works('fine'),
  ],
  ['an id, and goes on nowhere', stream('id: 1\nretry: 10\ndata: \n\n'), late],
  [
    'a request for a model',
    stream(asks('sampling/createMessage', { messages: [], maxTokens: 1 }), event(fine)),
    works('fine'),
  ],
  [
    'a request for a password',
    stream(asks('elicitation/create', { message: 'Password?', requestedSchema: {} }), event(fine)),
    works('fine'),
  ],
  [
    'requests for files and for nothing',
    stream(asks('roots/list'), asks('ping'), asks('no/such'), event(fine)),
    works('fine'),
  ],
  [
    'notifications of any kind',
    stream(says('notifications/odd', {}), says('notifications/tools/list_changed', null), event(fine)),
    works('fine'),
  ],
  ...(['other', null, 'TOKEN'] as const).flatMap((progressToken) =>
    [1, 'half', -1, null].map((progress): Case => [
      `progress ${JSON.stringify(progress)} of ${progressToken}`,
      stream(says('notifications/progress', { progressToken, progress, total: -5, message: {} }), event(fine)),
      works('fine'),
    ]),
  ),
  ['progress of nothing', stream(says('notifications/progress', undefined), event(fine)), works('fine')],
  [
    'progress a thousand times',
    stream(
      ...Array.from({ length: 1_000 }, (_, progress) =>
        says('notifications/progress', { progressToken: 'TOKEN', progress }),
      ),
      event(fine),
    ),
    works('fine'),
  ],
];

const connections: Case[] = [
  ['breaks before its head', (response) => void response.destroy(), failed('unreachable', 'broke')],
  ['breaks within its body', breaks('application/json', '{"jso'), failed('unreachable', 'broke')],
  ['is silent', () => undefined, late],
  ['sends a space now and then', drips, late],
  ['names another session', sends(fine, { 'mcp-session-id': 'other' }), works('fine')],
  [
    'redirects to another path of the server, where there is nothing',
    (response) => void response.writeHead(307, { location: '/login' }).end(),
    failed('session_lost', 'HTTP 404'),
  ],
  ...['http://169.254.169.254/latest', '/mcp', 'file:///etc/passwd', 'http://[', undefined].map((to): Case => [
    `redirects to ${to}`,
    (response) => void response.writeHead(307, to === undefined ? {} : { location: to }).end(),
    failed('protocol_error', 'the server redirects'),
  ]),
];

const page = (status: number): Raw => sends('<title>Sorry</title>', { 'content-type': 'text/html' }, status);
const statuses: Case[] = [
  ...[204, 205, 206, 299].map((status): Case => [
    `${status}`,
    empty(status),
    failed('protocol_error', 'something of no type'),
  ]),
  ['202', empty(202), late],
  ['400', page(400), failed('session_lost', 'HTTP 400')],
  ['401', page(401), failed('auth_failed', '(HTTP 401): Sorry')],
  ['403', page(403), failed('refused', '(HTTP 403): Sorry')],
  ['404', page(404), failed('session_lost', 'HTTP 404')],
  ['410', page(410), failed('session_lost', 'HTTP 410')],
  ['429', page(429), failed('unreachable', 'limits the rate of requests (HTTP 429): Sorry')],
  ...[402, 405, 406, 408, 409, 413, 415, 418, 422, 451].map((status): Case => [
    `${status}`,
    page(status),
    failed('protocol_error', `(HTTP ${status}): Sorry`),
  ]),
  ...[500, 501, 502, 503, 504, 520, 599].map((status): Case => [
    `${status}`,
    page(status),
    failed('unreachable', `the server fails (HTTP ${status}): Sorry`),
  ]),
];

const isNamed = async (...[, raw, outcome]: Case): Promise<void> =>
  expect(await world.outcomeOf(raw, outcome)).toEqual(outcome);

describe('a tool call whose answer', () => {
  it.each(types)('has the type %s', isNamed);
  it.each(streams)('is a stream of %s', isNamed);
  it.each(connections)('%s', isNamed);
  it.each(statuses)('has the status %s', isNamed);

  it('is odd leaves nothing behind', async () => {
    expect(await world.leftBehind()).toEqual([]);
  });
});
