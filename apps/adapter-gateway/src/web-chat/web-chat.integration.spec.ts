import { newId } from '#libs/contracts';
import { until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SignJWT } from 'jose';
import { randomBytes, randomUUID } from 'node:crypto';
import { type ChatPage, openPage } from '../testing/chat-page.js';
import { Deliveries } from '../testing/deliveries.js';
import { type FakeAdapter, fakeAdapter } from '../testing/fake-adapter.js';
import { type GatewayWorld, startGateway } from '../testing/gateway-world.js';
import { httpServer, sendJson, type TestServer } from '../testing/http-server.js';
import { Mailbox } from './mailbox.js';
import { WebChatFileRepository } from './web-chat-file.repository.js';
import { WebChatRepository } from './web-chat.repository.js';

const origin = 'https://www.example.com';
const identitySecret = 'TWFkZSBmb3IgdGVzdHM6IHRoZSBmaXJzdCBhY2NvdW50';
let world: GatewayWorld;
let ingress: TestServer;
let adapter: FakeAdapter;
let deliveries: Deliveries;
let gateways: NestFastifyApplication[];
let app: string;
/** What the ingress has stored, each once. */
let stored: Map<
  string,
  { visitor: { id: string; signed: boolean; name?: string }; text?: string; action?: object; files?: object[] }
>;
/** What the ingress answers instead of 200; null: it stores. */
let refusing: number | null;
const pages: ChatPage[] = [];
/** Mailboxes whose sweeps were started, in order. */
const started: Mailbox[] = [];

beforeAll(async () => {
  const { prototype } = Mailbox;
  const start = prototype.onApplicationBootstrap;
  prototype.onApplicationBootstrap = function onApplicationBootstrap(this: Mailbox) {
    started.push(this);
    start.call(this);
  };
  [stored, refusing] = [new Map(), null];
  ingress = await httpServer((_path, body, response) => {
    if (refusing !== null) return sendJson(response, { code: 'refused', detail: 'no' }, refusing);
    const { id, body: text } = JSON.parse(body) as { id: string; body: string };
    const duplicate = stored.has(id);
    if (!duplicate) stored.set(id, JSON.parse(text));
    return sendJson(response, { event_id: `evt_${stored.size}`, duplicate });
  });
  const credentials = ['origins', 'identity_secret', 'anonymous'].map((maps_to) => ({
    key: maps_to.toUpperCase(),
    type: 'text',
    label: maps_to,
    maps_to,
    required: maps_to === 'origins',
  }));
  const message = { mailbox: true, idempotent: true, formats: ['markdown'] };
  adapter = await fakeAdapter('chat', { credentials, message, features: ['actions', 'files'] });
  world = await startGateway({ INGRESS_URL: ingress.url }, ingress, adapter);
  gateways = [world.app, await world.start()];
  prototype.onApplicationBootstrap = start;
  adapter.routes['deliver'] = ({ idempotency_key: key }) => ({ ok: true, message_id: key });
  adapter.routes['format'] = ({ text }) => ({ text, format: 'markdown', parts: [text], lossy: [] });
  deliveries = new Deliveries(world);
  app = (await world.install(adapter)).id;
  await configure({ ORIGINS: `https://other.example ${origin}/` });
});
afterEach(() => {
  for (const page of pages.splice(0)) page.leave();
  refusing = null;
});
afterAll(() => world.close());

/** Gives the App these credentials, by its declarations' names. */
async function configure(fields: Record<string, string>): Promise<void> {
  const id = newId('cred');
  world.vault.credentials.set(id, fields);
  const credentials = Object.fromEntries(Object.keys(fields).map((key) => [key, id]));
  const { status, body } = await world.call('PATCH', `apps/${app}`, { credentials });
  expect([status, JSON.stringify(body)]).toEqual([200, expect.any(String)]);
}

const newSecret = (): string => randomBytes(32).toString('base64url');
const urlOf = (replica = 0): Promise<string> => gateways[replica]!.getUrl();

async function open(
  visitor: object,
  more: { after?: number; replica?: number; headers?: Record<string, string> } = {},
) {
  const { after = 0, replica = 0, headers = { origin } } = more;
  const page = await openPage(await urlOf(replica), { app, visitor, after }, headers);
  pages.push(page);
  return page;
}

async function write(visitor: object, message: object, headers: Record<string, string> = { origin }, of = app) {
  const answer = await fetch(`${await urlOf()}/api/v1/web-chat/messages`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain;charset=UTF-8', ...headers },
    body: JSON.stringify({ app: of, visitor, id: randomUUID(), ...message }),
  });
  const body = (await answer.json()) as { id?: string; code?: string; limit?: { name: string } };
  return { status: answer.status, headers: answer.headers, body };
}

const texts = (page: ChatPage): string[] => page.messages.map(({ author, text }) => `${author}: ${text}`);
const shows = (page: ChatPage, ...wanted: string[]) =>
  until(
    `the page shows ${wanted.join(', ')}, and not ${texts(page).join(', ')}`,
    () => texts(page).join('|') === wanted.join('|'),
  );

/** Writes once, so that the visitor has an address to answer to. */
async function addressOf(visitor: object): Promise<string> {
  const id = randomUUID();
  expect((await write(visitor, { id, text: 'hello' })).status).toBe(200);
  return [...stored].find(([key]) => key.endsWith(id))![1].visitor.id;
}

const token = (claims: Record<string, unknown>, secret = identitySecret, until: string | number = '5m') =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(until)
    .sign(new TextEncoder().encode(secret));

it('is swept by one sweep in each process', () => {
  expect([started.length, new Set(started).size]).toEqual([gateways.length, gateways.length]);
});

describe('a message of a visitor', () => {
  it('is acknowledged once the ingress has it, once however often it is sent, and shown on all pages of the visitor', async () => {
    const visitor = { secret: newSecret() };
    const page = await open(visitor, { replica: 1 });
    const id = randomUUID();
    refusing = 503;
    expect(await write(visitor, { id, text: 'Is anybody there?' })).toMatchObject({ status: 503 });
    expect(texts(page)).toEqual([]);
    refusing = null;
    const before = stored.size;
    for (let times = 0; times < 3; times += 1) {
      expect(await write(visitor, { id, text: 'Is anybody there?' })).toMatchObject({ status: 200, body: { id } });
    }
    expect(stored.size).toBe(before + 1);
    const [taken] = [...stored].find(([key]) => key.endsWith(id)) ? [[...stored.values()].at(-1)] : [];
    expect(taken).toMatchObject({
      text: 'Is anybody there?',
      visitor: { id: expect.stringMatching(/^anon:/), signed: false },
    });
    await shows(page, 'visitor: Is anybody there?');
    await shows(await open(visitor), 'visitor: Is anybody there?');
  });

  it.each([
    ['an origin that is not listed', { origin: 'https://evil.example' }, 403, 'origin_refused'],
    ['no origin', {}, 403, 'origin_refused'],
    ['an origin with another port', { origin: `${origin}:8443` }, 403, 'origin_refused'],
  ])('from %s is refused, which its page can read, and nothing else', async (_what, headers, status, code) => {
    const answer = await write({ secret: newSecret() }, { text: 'x' }, headers as Record<string, string>);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.headers.get('access-control-allow-origin')).toBe((headers as { origin?: string }).origin ?? null);
    const page = await open({ secret: newSecret() }, { headers: headers as Record<string, string> });
    expect([page.status, page.messages]).toEqual([status, []]);
  });

  it('is refused without a visitor, a text or a valid id, and by an App that is no chat', async () => {
    const visitor = { secret: newSecret() };
    const refusal = async (...given: Parameters<typeof write>) => {
      const { status, body, headers } = await write(...given);
      return [status, body.code, headers.get('access-control-allow-origin')];
    };
    expect(await refusal({}, { text: 'x' })).toEqual([401, 'visitor_required', origin]);
    expect(await refusal({ secret: 'short' }, { text: 'x' })).toEqual([401, 'visitor_required', origin]);
    expect(await refusal(visitor, { text: ' ' })).toEqual([422, 'invalid_request', origin]);
    expect(await refusal(visitor, { text: 'x'.repeat(201) })).toEqual([422, 'invalid_request', origin]);
    expect(await refusal(visitor, { id: '1', text: 'x' })).toEqual([422, 'invalid_request', origin]);
    expect(await refusal(visitor, { text: 'x' }, { origin }, 'app_none')).toEqual([404, 'web_chat_not_found', origin]);
    const plain = await fakeAdapter('no-chat', { credentials: [] });
    const other = (await world.install(plain)).id;
    expect(await refusal(visitor, { text: 'x' }, { origin }, other)).toEqual([404, 'web_chat_not_found', origin]);
    await plain.close();
  });

  it('is refused over the rate of its visitor', async () => {
    const visitor = { secret: newSecret() };
    for (let at = 0; at < 10; at += 1) expect((await write(visitor, { text: `${at}` })).status).toBe(200);
    const over = await write(visitor, { text: 'one more' });
    expect([over.status, over.body.limit?.name]).toEqual([429, 'WEB_CHAT_RATE_PER_VISITOR']);
    expect(over.headers.get('retry-after')).toBe('10');
    expect((await write({ secret: newSecret() }, { text: 'another' })).status).toBe(200);
  });
});

describe('an answer', () => {
  it('reaches the open pages of its visitor at every replica, and nobody else', async () => {
    const [jane, joe] = [{ secret: newSecret() }, { secret: newSecret() }];
    const address = await addressOf(jane);
    const [here, there, other] = [await open(jane), await open(jane, { replica: 1 }), await open(joe)];
    const sent = await deliveries.send(app, { text: '**Yes**.', address });
    await deliveries.inState(sent, 'delivered');
    await shows(here, 'visitor: hello', 'agent: **Yes**.');
    await shows(there, 'visitor: hello', 'agent: **Yes**.');
    await deliveries.inState(
      await deliveries.send(app, { text: 'For Joe.', address: await addressOf(joe) }),
      'delivered',
    );
    await shows(other, 'visitor: hello', 'agent: For Joe.');
    expect(texts(here)).toHaveLength(2);
    expect(here.messages[1]).toMatchObject({ id: sent, format: 'markdown' });
  });

  it('waits for a visitor who is away, and is sent after what the page has', async () => {
    const visitor = { secret: newSecret() };
    const address = await addressOf(visitor);
    for (const text of ['one', 'two'])
      await deliveries.inState(await deliveries.send(app, { text, address }), 'delivered');
    const page = await open(visitor);
    await until('all are there', () => page.messages.length === 3);
    expect(page.messages.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    await shows(await open(visitor, { after: 2 }), texts(page)[2]!);
    // A number that was not given yet is of a conversation that is no longer kept.
    const late = await open(visitor, { after: 900 });
    await until('all are there again', () => late.messages.length === 3);
  });

  it('is kept once, also when the delivery is repeated after it was stored', async () => {
    const visitor = { secret: newSecret() };
    const address = await addressOf(visitor);
    let forgotten = 0;
    const keeps = gateways.map((gateway) => {
      const mailbox = gateway.get(Mailbox, { strict: false });
      const keep = mailbox.keep.bind(mailbox);
      mailbox.keep = async (message) => {
        await keep(message);
        forgotten += 1;
        if (forgotten === 1) throw Object.assign(new Error('the process forgot'), { code: 'ECONNRESET' });
      };
      return () => (mailbox.keep = keep);
    });
    await deliveries.inState(await deliveries.send(app, { text: 'Once.', address }), 'delivered');
    expect(forgotten).toBe(2);
    for (const restore of keeps) restore();
    await shows(await open(visitor), 'visitor: hello', 'agent: Once.');
  });

  it('offers choices, of which the page names one and the platform has the value', async () => {
    const visitor = { secret: newSecret() };
    const address = await addressOf(visitor);
    const actions = [{ id: 'yes', label: 'Yes', value: 'sealed' }];
    const of = { appId: app, organizationId: 'org_1', projectId: 'prj_1', visitor: address, receiptId: 'evt_1' };
    const mailbox = gateways[0]!.get(Mailbox, { strict: false });
    await mailbox.keepAnswer({ ...of, id: 'dlv_choice', text: 'Go on?', format: 'plain', actions, files: [] });
    const page = await open(visitor);
    await shows(page, 'visitor: hello', 'agent: Go on?');
    expect(page.messages[1]?.choices).toEqual([{ id: 'yes', label: 'Yes', style: 'default' }]);
    expect(JSON.stringify(page.messages)).not.toContain('sealed');
    const choose = (choice: object, by: object = visitor) => write(by, { choice });
    expect((await choose({ message: 'dlv_choice', action: 'no' })).body.code).toBe('choice_not_found');
    const stranger = { secret: newSecret() };
    expect((await choose({ message: 'dlv_choice', action: 'yes' }, stranger)).body.code).toBe('choice_not_found');
    expect((await choose({ message: 'dlv_choice', action: 'yes' })).status).toBe(200);
    expect([...stored.values()].at(-1)?.action).toEqual({
      id: 'yes',
      value: 'sealed',
      label: 'Yes',
      message_id: 'dlv_choice',
    });
    await shows(page, 'visitor: hello', 'agent: Go on?', 'visitor: Yes');
  });
});

describe('a conversation', () => {
  it('numbers its messages in the order of their commits, and keeps the newest', async () => {
    const rows = gateways[0]!.get(WebChatRepository, { strict: false });
    const of = { appId: app, visitor: `anon:${randomUUID()}` };
    const scope = { organizationId: 'org_1', projectId: 'prj_1' };
    const message = { ...of, ...scope, author: 'agent' as const, format: 'plain' as const, actions: null, files: null };
    await Promise.all(
      Array.from({ length: 120 }, (_, at) => rows.keep({ ...message, id: `m${at}`, text: `${at}` }, 50)),
    );
    const kept = await rows.newest(of, 1_000);
    expect(await rows.lastSeq(of)).toBe(120);
    expect(kept.map(({ seq }) => seq)).toEqual(Array.from({ length: 70 }, (_, at) => 51 + at));
    await world.pool.query(
      `UPDATE gateway.web_chat_message SET created_at = now() - interval '9 days' WHERE visitor = $1`,
      [of.visitor],
    );
    await world.pool.query(
      `UPDATE gateway.web_chat_conversation SET updated_at = now() - interval '9 days' WHERE visitor = $1`,
      [of.visitor],
    );
    expect(await rows.removeOld(10, 1_000)).toBe(0);
    expect(await rows.removeOld(8, 50)).toBe(50);
    expect(await rows.removeOld(8, 50)).toBe(20);
    expect(await rows.lastSeq(of)).toBe(0);
  });

  it('is refused a page over the limit of open ones', async () => {
    const of = { secret: newSecret() };
    const all = await Promise.all(Array.from({ length: 20 }, () => open(of)));
    expect(all.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const more = await open(of);
    expect([more.status, more.body]).toEqual([429, expect.stringContaining('WEB_CHAT_STREAMS_PER_APP')]);
    for (const page of all) page.leave();
    await until('there is room again', async () => (await open(of)).status === 200);
  });
});

describe('a file', () => {
  const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');
  const post = async (path: string, body: object, headers: Record<string, string> = { origin }) =>
    fetch(`${await urlOf()}/api/v1/web-chat/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain;charset=UTF-8', ...headers },
      body: JSON.stringify({ app, ...body }),
    });
  const sendFile = async (visitor: object, text: string, more: object = {}) => {
    const file = { id: randomUUID(), name: 'notes.txt', content_type: 'text/plain', content_base64: base64(text) };
    const answer = await post('files', { visitor, ...file, ...more });
    const body = (await answer.json()) as { id: string; code?: string; limit?: { name: string } };
    return { status: answer.status, ...body };
  };
  const readFile = async (visitor: object, id: string, headers?: Record<string, string>) => {
    const answer = await post('files/read', { visitor, id }, headers);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };

  it('of a visitor is an attachment of the event, which only the same visitor can name and read', async () => {
    const [jane, joe] = [{ secret: newSecret() }, { secret: newSecret() }];
    const { id } = await sendFile(jane, 'the notes');
    expect((await sendFile(jane, 'something else', { id })).status).toBe(200);
    expect((await write(joe, { files: [id] })).body.code).toBe('file_not_found');
    const page = await open(jane);
    expect((await write(jane, { text: '', files: [id] })).status).toBe(200);
    const head = { id, name: 'notes.txt', content_type: 'text/plain', size: 9 };
    const taken = [...stored.values()].at(-1)!;
    expect(taken.files).toEqual([head]);
    await until('the page has it', () => page.messages.length === 1);
    expect(page.messages[0]).toMatchObject({ files: [head] });
    const read = await readFile(jane, id);
    expect([read.status, read.text]).toEqual([200, 'the notes']);
    expect(read.headers.get('content-disposition')).toBe('attachment');
    expect(read.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await readFile(joe, id)).status).toBe(404);
    expect((await readFile(jane, id, { origin: 'https://evil.example' })).status).toBe(403);
    const call = { app_id: app, resource_path: '' };
    const fetched = async (file_path: string) =>
      (await world.internal('POST', 'adapter-calls/fetch-file', { ...call, file_path })).body as object;
    expect(await fetched(`${taken.visitor.id}/${id}`)).toMatchObject({
      content_base64: base64('the notes'),
      content_type: 'text/plain',
    });
    expect(await fetched(`anon:other/${id}`)).toMatchObject({ ok: false, error: 'not_found' });
  });

  it('that is too large, of another kind, or one too many is refused with the setting that says so', async () => {
    const visitor = { secret: newSecret() };
    const page = await open(visitor);
    await until('it is open', () => page.events.length > 0);
    expect(page.events[0]?.data).toMatchObject({ files: { count: 2, bytes: 1_000 } });
    expect((await sendFile(visitor, 'x'.repeat(1_001))).code).toBe('file_too_large');
    expect((await sendFile(visitor, '<svg/>', { content_type: 'image/svg+xml' })).code).toBe('file_type_refused');
    expect((await sendFile(visitor, 'no picture', { content_type: 'image/png' })).code).toBe('file_type_refused');
    expect((await sendFile(visitor, '', {})).code).toBe('invalid_request');
    expect((await sendFile(visitor, '', { content_base64: '???' })).code).toBe('invalid_request');
    const ids = [];
    for (let at = 0; at < 4; at += 1) ids.push((await sendFile(visitor, `${at}`)).id);
    expect(await sendFile(visitor, 'one more')).toMatchObject({
      status: 429,
      limit: { name: 'WEB_CHAT_FILES_PER_HOUR' },
    });
    expect((await write(visitor, { text: 'x', files: ids.slice(0, 3) })).body.code).toBe('too_many_files');
  });

  it('of an answer is read by its visitor alone, once however often it was sent, and goes with its message', async () => {
    const [jane, joe] = [{ secret: newSecret() }, { secret: newSecret() }];
    const address = await addressOf(jane);
    const message = { text: 'Here.', attachments: [{ name: 'a/b.txt', content_base64: base64('answer') }] };
    const sent = { app_id: app, channel_address: address, idempotency_key: newId('key'), message };
    const { body } = await world.internal('POST', 'adapter-calls/deliver', sent);
    await deliveries.inState(String(body.delivery_id), 'delivered');
    const page = await open(jane);
    await shows(page, 'visitor: hello', 'agent: Here.');
    const [file] = (page.messages[1] as { files?: { id: string; name: string }[] }).files ?? [];
    expect(file).toMatchObject({ name: 'a_b.txt', size: 6 });
    expect(await readFile(jane, file!.id)).toMatchObject({ status: 200, text: 'answer' });
    expect((await readFile(joe, file!.id)).status).toBe(404);
    // No visitor can put a file of an answer into a message of its own.
    expect((await write(jane, { files: [file!.id] })).body.code).toBe('file_not_found');
    const files = gateways[0]!.get(WebChatFileRepository, { strict: false });
    await world.pool.query(
      `UPDATE gateway.web_chat_file SET created_at = now() - interval '9 days' WHERE visitor = $1`,
      [address],
    );
    expect(await files.removeOld(10, 100)).toBe(0);
    expect(await files.removeOld(8, 100)).toBe(1);
    expect((await readFile(jane, file!.id)).status).toBe(404);
  });
});

describe('a visitor whom the site has signed', () => {
  beforeAll(() => configure({ ORIGINS: origin, IDENTITY_SECRET: identitySecret }));

  it('has the same conversation in every browser, by a token of the site alone', async () => {
    const jane = { token: await token({ sub: '42', name: 'Jane' }) };
    await until('the secret is in force', async () => (await write(jane, { text: 'hello' })).status === 200);
    expect([...stored.values()].at(-1)).toMatchObject({ visitor: { id: 'user:42', name: 'Jane', signed: true } });
    const another = await open({ token: await token({ sub: '42' }) });
    await shows(another, 'visitor: hello');
    await shows(await open({ token: await token({ sub: '43' }) }));
  });

  it('is refused where the token is forged, too old, or of nobody, and where there is none', async () => {
    const refusal = async (visitor: object) => (await write(visitor, { text: 'x' })).body.code;
    expect(await refusal({ token: await token({ sub: '42' }, 'another secret of the same length, or so') })).toBe(
      'identity_refused',
    );
    const [head, claims] = (await token({ sub: '42' })).split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    expect(await refusal({ token: `${none}.${claims}.` })).toBe('identity_refused');
    const forged = Buffer.from(JSON.stringify({ sub: '1', exp: 9_999_999_999 })).toString('base64url');
    expect(await refusal({ token: `${head}.${forged}.${(await token({ sub: '42' })).split('.')[2]}` })).toBe(
      'identity_refused',
    );
    expect(await refusal({ token: await token({ sub: '42' }, identitySecret, 1_000_000) })).toBe('identity_expired');
    expect(await refusal({ token: await token({}) })).toBe('identity_refused');
    expect(await refusal({ token: 'x' })).toBe('identity_refused');
    expect(await refusal({ secret: newSecret() })).toBe('identity_required');
  });

  it('has its page ended when the token expires', async () => {
    const page = await open({ token: await token({ sub: '44' }, identitySecret, '2s') });
    expect(page.status).toBe(200);
    await until('it is ended', () => page.ended);
  });

  it('writes beside anonymous ones where the site chooses so', async () => {
    await configure({ ORIGINS: origin, IDENTITY_SECRET: identitySecret, ANONYMOUS: 'Yes' });
    await until('it is in force', async () => (await write({ secret: newSecret() }, { text: 'hi' })).status === 200);
    expect((await write({ token: await token({ sub: '45' }) }, { text: 'hi' })).status).toBe(200);
  });
});
