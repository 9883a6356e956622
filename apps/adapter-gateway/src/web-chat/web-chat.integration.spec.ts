import { until } from '#libs/testing';
import { randomUUID } from 'node:crypto';
import { fakeAdapter } from '../testing/fake-adapter.js';
import { anonymous, identitySecret, origin, shows, siteToken, texts, WebChat } from '../testing/web-chat.js';
import { Mailbox } from './mailbox.js';
import { WebChatRepository } from './web-chat.repository.js';

let chat: WebChat;
/** Mailboxes whose sweeps were started, in order. */
const started: Mailbox[] = [];
beforeAll(async () => {
  const { prototype } = Mailbox;
  const start = prototype.onApplicationBootstrap;
  prototype.onApplicationBootstrap = function onApplicationBootstrap(this: Mailbox) {
    started.push(this);
    start.call(this);
  };
  chat = new WebChat();
  await chat.start(['actions', 'files'], { ORIGINS: `https://other.example ${origin}/` });
  prototype.onApplicationBootstrap = start;
});
afterEach(() => chat.reset());
afterAll(() => chat.close());

it('is swept by one sweep in each process', () => {
  expect([started.length, new Set(started).size]).toEqual([chat.gateways.length, chat.gateways.length]);
});

describe('a message of a visitor', () => {
  it('is acknowledged once the ingress has it, once however often it is sent, and shown on all pages of the visitor', async () => {
    const visitor = anonymous();
    const page = await chat.open(visitor, { replica: 1 });
    const id = randomUUID();
    chat.refusing = 503;
    expect(await chat.write(visitor, { id, text: 'Is anybody there?' })).toMatchObject({ status: 503 });
    expect(texts(page)).toEqual([]);
    chat.refusing = null;
    const before = chat.stored.size;
    for (let times = 0; times < 3; times += 1) {
      expect(await chat.write(visitor, { id, text: 'Is anybody there?' })).toMatchObject({ status: 200, body: { id } });
    }
    expect(chat.stored.size).toBe(before + 1);
    const [taken] = [...chat.stored].find(([key]) => key.endsWith(id)) ? [[...chat.stored.values()].at(-1)] : [];
    expect(taken).toMatchObject({
      text: 'Is anybody there?',
      visitor: { id: expect.stringMatching(/^anon:/), signed: false },
    });
    await shows(page, 'visitor: Is anybody there?');
    await shows(await chat.open(visitor), 'visitor: Is anybody there?');
  });

  it.each([
    ['an origin that is not listed', { origin: 'https://evil.example' }, 403, 'origin_refused'],
    ['no origin', {}, 403, 'origin_refused'],
    ['an origin with another port', { origin: `${origin}:8443` }, 403, 'origin_refused'],
  ])('from %s is refused, which its page can read, and nothing else', async (_what, headers, status, code) => {
    const answer = await chat.write(anonymous(), { text: 'x' }, headers as Record<string, string>);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.headers.get('access-control-allow-origin')).toBe((headers as { origin?: string }).origin ?? null);
    const page = await chat.open(anonymous(), { headers: headers as Record<string, string> });
    expect([page.status, page.messages]).toEqual([status, []]);
  });

  it('is refused without a visitor, a text or a valid id, and by an App that is no chat', async () => {
    const visitor = anonymous();
    const refusal = async (...given: Parameters<WebChat['write']>) => {
      const { status, body, headers } = await chat.write(...given);
      return [status, body.code, headers.get('access-control-allow-origin')];
    };
    expect(await refusal({}, { text: 'x' })).toEqual([401, 'visitor_required', origin]);
    expect(await refusal({ secret: 'short' }, { text: 'x' })).toEqual([401, 'visitor_required', origin]);
    expect(await refusal(visitor, { text: ' ' })).toEqual([422, 'invalid_request', origin]);
    expect(await refusal(visitor, { text: 'x'.repeat(201) })).toEqual([422, 'invalid_request', origin]);
    expect(await refusal(visitor, { id: '1', text: 'x' })).toEqual([422, 'invalid_request', origin]);
    expect(await refusal(visitor, { text: 'x' }, { origin }, 'app_none')).toEqual([404, 'web_chat_not_found', origin]);
    const plain = await fakeAdapter('no-chat', { credentials: [] });
    const other = (await chat.world.install(plain)).id;
    expect(await refusal(visitor, { text: 'x' }, { origin }, other)).toEqual([404, 'web_chat_not_found', origin]);
    await plain.close();
  });

  it('is refused over the rate of its visitor', async () => {
    const visitor = anonymous();
    for (let at = 0; at < 10; at += 1) expect((await chat.write(visitor, { text: `${at}` })).status).toBe(200);
    const over = await chat.write(visitor, { text: 'one more' });
    expect([over.status, over.body.limit?.name]).toEqual([429, 'WEB_CHAT_RATE_PER_VISITOR']);
    expect(over.headers.get('retry-after')).toBe('10');
    expect((await chat.write(anonymous(), { text: 'another' })).status).toBe(200);
  });
});

describe('an answer', () => {
  it('reaches the open pages of its visitor at every replica, and nobody else', async () => {
    const [jane, joe] = [anonymous(), anonymous()];
    const address = await chat.addressOf(jane);
    const [here, there, other] = [await chat.open(jane), await chat.open(jane, { replica: 1 }), await chat.open(joe)];
    const sent = await chat.deliveries.send(chat.app, { text: '**Yes**.', address });
    await chat.deliveries.inState(sent, 'delivered');
    await shows(here, 'visitor: hello', 'agent: **Yes**.');
    await shows(there, 'visitor: hello', 'agent: **Yes**.');
    await chat.deliveries.inState(
      await chat.deliveries.send(chat.app, { text: 'For Joe.', address: await chat.addressOf(joe) }),
      'delivered',
    );
    await shows(other, 'visitor: hello', 'agent: For Joe.');
    expect(texts(here)).toHaveLength(2);
    expect(here.messages[1]).toMatchObject({ id: sent, format: 'markdown' });
  });

  it('waits for a visitor who is away, and is sent after what the page has', async () => {
    const visitor = anonymous();
    const address = await chat.addressOf(visitor);
    for (const text of ['one', 'two'])
      await chat.deliveries.inState(await chat.deliveries.send(chat.app, { text, address }), 'delivered');
    const page = await chat.open(visitor);
    await until('all are there', () => page.messages.length === 3);
    expect(page.messages.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    await shows(await chat.open(visitor, { after: 2 }), texts(page)[2]!);
    // A number that was not given yet is of a conversation that is no longer kept.
    const late = await chat.open(visitor, { after: 900 });
    await until('all are there again', () => late.messages.length === 3);
  });

  it('is kept once, also when the delivery is repeated after it was stored', async () => {
    const visitor = anonymous();
    const address = await chat.addressOf(visitor);
    let forgotten = 0;
    const keeps = chat.gateways.map((gateway) => {
      const mailbox = gateway.get(Mailbox, { strict: false });
      const keep = mailbox.keep.bind(mailbox);
      mailbox.keep = async (message) => {
        await keep(message);
        forgotten += 1;
        if (forgotten === 1) throw Object.assign(new Error('the process forgot'), { code: 'ECONNRESET' });
      };
      return () => (mailbox.keep = keep);
    });
    await chat.deliveries.inState(await chat.deliveries.send(chat.app, { text: 'Once.', address }), 'delivered');
    expect(forgotten).toBe(2);
    for (const restore of keeps) restore();
    await shows(await chat.open(visitor), 'visitor: hello', 'agent: Once.');
  });

  it('offers choices, of which the page names one and the platform has the value', async () => {
    const visitor = anonymous();
    const address = await chat.addressOf(visitor);
    const actions = [{ id: 'yes', label: 'Yes', value: 'sealed' }];
    const of = { appId: chat.app, organizationId: 'org_1', projectId: 'prj_1', visitor: address, receiptId: 'evt_1' };
    const mailbox = chat.gateways[0]!.get(Mailbox, { strict: false });
    await mailbox.keepAnswer({ ...of, id: 'dlv_choice', text: 'Go on?', format: 'plain', actions, files: [] });
    const page = await chat.open(visitor);
    await shows(page, 'visitor: hello', 'agent: Go on?');
    expect(page.messages[1]?.choices).toEqual([{ id: 'yes', label: 'Yes', style: 'default' }]);
    expect(JSON.stringify(page.messages)).not.toContain('sealed');
    const choose = (choice: object, by: object = visitor) => chat.write(by, { choice });
    expect((await choose({ message: 'dlv_choice', action: 'no' })).body.code).toBe('choice_not_found');
    const stranger = anonymous();
    expect((await choose({ message: 'dlv_choice', action: 'yes' }, stranger)).body.code).toBe('choice_not_found');
    expect((await choose({ message: 'dlv_choice', action: 'yes' })).status).toBe(200);
    expect([...chat.stored.values()].at(-1)?.action).toEqual({
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
    const rows = chat.gateways[0]!.get(WebChatRepository, { strict: false });
    const of = { appId: chat.app, visitor: `anon:${randomUUID()}` };
    const scope = { organizationId: 'org_1', projectId: 'prj_1' };
    const message = { ...of, ...scope, author: 'agent' as const, format: 'plain' as const, actions: null, files: null };
    await Promise.all(
      Array.from({ length: 120 }, (_, at) => rows.keep({ ...message, id: `m${at}`, text: `${at}` }, 50)),
    );
    const kept = await rows.newest(of, 1_000);
    expect(await rows.lastSeq(of)).toBe(120);
    expect(kept.map(({ seq }) => seq)).toEqual(Array.from({ length: 70 }, (_, at) => 51 + at));
    await chat.world.pool.query(
      `UPDATE gateway.web_chat_message SET created_at = now() - interval '9 days' WHERE visitor = $1`,
      [of.visitor],
    );
    await chat.world.pool.query(
      `UPDATE gateway.web_chat_conversation SET updated_at = now() - interval '9 days' WHERE visitor = $1`,
      [of.visitor],
    );
    expect(await rows.removeOld(10, 1_000)).toBe(0);
    expect(await rows.removeOld(8, 50)).toBe(50);
    expect(await rows.removeOld(8, 50)).toBe(20);
    expect(await rows.lastSeq(of)).toBe(0);
  });

  it('is refused a page over the limit of open ones', async () => {
    const of = anonymous();
    const all = await Promise.all(Array.from({ length: 20 }, () => chat.open(of)));
    expect(all.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const more = await chat.open(of);
    expect([more.status, more.body]).toEqual([429, expect.stringContaining('WEB_CHAT_STREAMS_PER_APP')]);
    for (const page of all) page.leave();
    await until('there is room again', async () => (await chat.open(of)).status === 200);
  });
});

describe('a visitor whom the site has signed', () => {
  beforeAll(() => chat.configure({ ORIGINS: origin, IDENTITY_SECRET: identitySecret }));

  it('has the same conversation in every browser, by a token of the site alone', async () => {
    const jane = { token: await siteToken({ sub: '42', name: 'Jane' }) };
    await until('the secret is in force', async () => (await chat.write(jane, { text: 'hello' })).status === 200);
    expect([...chat.stored.values()].at(-1)).toMatchObject({ visitor: { id: 'user:42', name: 'Jane', signed: true } });
    const another = await chat.open({ token: await siteToken({ sub: '42' }) });
    await shows(another, 'visitor: hello');
    await shows(await chat.open({ token: await siteToken({ sub: '43' }) }));
  });

  it('is refused where the token is forged, too old, or of nobody, and where there is none', async () => {
    const refusal = async (visitor: object) => (await chat.write(visitor, { text: 'x' })).body.code;
    expect(await refusal({ token: await siteToken({ sub: '42' }, 'another secret of the same length, or so') })).toBe(
      'identity_refused',
    );
    const [head, claims] = (await siteToken({ sub: '42' })).split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    expect(await refusal({ token: `${none}.${claims}.` })).toBe('identity_refused');
    const forged = Buffer.from(JSON.stringify({ sub: '1', exp: 9_999_999_999 })).toString('base64url');
    expect(await refusal({ token: `${head}.${forged}.${(await siteToken({ sub: '42' })).split('.')[2]}` })).toBe(
      'identity_refused',
    );
    expect(await refusal({ token: await siteToken({ sub: '42' }, identitySecret, 1_000_000) })).toBe(
      'identity_expired',
    );
    expect(await refusal({ token: await siteToken({}) })).toBe('identity_refused');
    expect(await refusal({ token: 'x' })).toBe('identity_refused');
    expect(await refusal(anonymous())).toBe('identity_required');
  });

  it('has its page ended when the token expires', async () => {
    const page = await chat.open({ token: await siteToken({ sub: '44' }, identitySecret, '2s') });
    expect(page.status).toBe(200);
    await until('it is ended', () => page.ended);
  });

  it('writes beside anonymous ones where the site chooses so', async () => {
    await chat.configure({ ORIGINS: origin, IDENTITY_SECRET: identitySecret, ANONYMOUS: 'Yes' });
    await until('it is in force', async () => (await chat.write(anonymous(), { text: 'hi' })).status === 200);
    expect((await chat.write({ token: await siteToken({ sub: '45' }) }, { text: 'hi' })).status).toBe(200);
  });
});
