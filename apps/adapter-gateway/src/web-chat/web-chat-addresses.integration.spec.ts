import { home, until } from '#libs/testing';
import { ChatByMail, codesPerApp } from '../testing/chat-by-mail.js';
import { anonymous } from '../testing/web-chat.js';

let chat: ChatByMail;
beforeAll(async () => {
  chat = new ChatByMail();
  await chat.start();
});
afterEach(() => chat.reset());
afterAll(() => chat.close());

describe('an address that a visitor names', () => {
  const codeIn = (email: string): string =>
    /\*\*(\d{8})\*\*/.exec(chat.to(email).at(-1)?.message.text ?? '')?.[1] ?? '';
  const asks = async (visitor: object, email: string, client?: string) => {
    const before = chat.to(email).length;
    const asked = await chat.ask('mail', { visitor, email }, client);
    if (asked.status === 200) await until('the code was sent', () => chat.to(email).length > before);
    return asked;
  };
  const addressOf = async (visitor: object): Promise<string> => {
    await chat.write(visitor);
    return [...chat.stored.values()].at(-1)!.visitor.id;
  };

  it('gets a code and nothing else, until the code comes back', async () => {
    const visitor = anonymous();
    const address = await addressOf(visitor);
    const asked = await asks(visitor, 'joe@example.com');
    expect(asked).toEqual({ status: 200, body: { state: 'code', email: 'j…@example.com' } });
    const early = await chat.answer(address, 'Too early.');
    expect(await chat.mailOf(early)).toBeNull();
    expect((await chat.ask('mail/confirm', { visitor, code: '00000000' })).body.code).toBe('wrong_code');
    expect((await chat.ask('mail/confirm', { visitor: anonymous(), code: codeIn('joe@example.com') })).status).toBe(
      422,
    );
    const confirmed = await chat.ask('mail/confirm', { visitor, code: codeIn('joe@example.com') });
    expect(confirmed.body).toEqual({ state: 'on', email: 'j…@example.com' });
    await chat.ends(await chat.missed(address, 'Now.'), 'sent');
    expect(chat.to('joe@example.com').map(({ message }) => message.text.slice(0, 4))).toEqual(['Your', 'Now.']);
    const page = await chat.open(visitor);
    await until('the page knows', () => page.events.length > 0);
    expect(page.events[0]?.data).toMatchObject({ mail: { state: 'on', email: 'j…@example.com' } });
  });

  it('is not verified by its code after five wrong ones, nor when it is too old', async () => {
    const [tried, late] = [anonymous(), anonymous()];
    await asks(tried, 'tried@example.com', '192.0.2.20');
    await asks(late, 'late@example.com', '192.0.2.20');
    for (let at = 0; at < 5; at += 1) await chat.ask('mail/confirm', { visitor: tried, code: '00000000' });
    expect((await chat.ask('mail/confirm', { visitor: tried, code: codeIn('tried@example.com') })).status).toBe(422);
    await chat.world.pool.query(
      `UPDATE gateway.web_chat_address SET code_until = now() WHERE email = 'late@example.com'`,
    );
    expect((await chat.ask('mail/confirm', { visitor: late, code: codeIn('late@example.com') })).status).toBe(422);
  });

  it('gets few codes a day, whoever asks, and few networks ask for many', async () => {
    const limitOf = ({ body }: { body: Record<string, unknown> }) =>
      (body['limit'] as { name?: string } | undefined)?.name;
    for (let at = 0; at < 3; at += 1) {
      expect((await asks(anonymous(), 'victim@example.com', `198.51.100.${at}`)).status).toBe(200);
    }
    const more = await Promise.all([6, 7].map((at) => asks(anonymous(), 'victim@example.com', `198.51.100.${at}`)));
    expect(more.map(limitOf)).toEqual(Array(2).fill('WEB_CHAT_CODES_PER_ADDRESS'));
    expect(chat.to('victim@example.com')).toHaveLength(3);
    for (let at = 0; at < 10; at += 1) {
      expect((await asks(anonymous(), `many${at}@example.com`, `2001:db8::${at}`)).status).toBe(200);
    }
    expect(limitOf(await asks(anonymous(), 'many@example.com', '2001:db8::ffff'))).toBe('WEB_CHAT_CODES_PER_NETWORK');
  });

  it('gets no more codes than a network and an App may ask for, however many ask at once', async () => {
    const askAtOnce = async (name: string, clientOf: (at: number) => string) => {
      const all = Array.from({ length: 20 }, (_, at) =>
        chat.ask('mail', { visitor: anonymous(), email: `${name}${at}@example.com` }, clientOf(at)),
      );
      return (await Promise.all(all)).filter(({ status }) => status === 200).length;
    };
    expect(await askAtOnce('network', (at) => `2001:db8:0:5::${at}`)).toBe(10);
    const full = 'full@example.com';
    await chat.world.query(
      `INSERT INTO gateway.web_chat_mail (id, organization_id, project_id, app_id, visitor, kind, email, delivery_id, state)
       SELECT 'wcm_' || n, $1, $2, $3, 'anon:none', 'code', $4, 'dlv_none', 'sent' FROM generate_series(1, $5::integer - 5 - (
         SELECT count(*) FROM gateway.web_chat_mail WHERE app_id = $3 AND kind = 'code')::integer) AS n`,
      [home.organizationId, home.projectId, chat.app, full, codesPerApp],
    );
    expect(await askAtOnce('app', (at) => `203.0.113.${at}`)).toBe(5);
    // Those of other tests have room again.
    await chat.world.query('DELETE FROM gateway.web_chat_mail WHERE email = $1', [full]);
  });

  it('in the token of a visitor over its rate is not kept', async () => {
    const { visitor, email, address } = await chat.signed();
    for (let at = 0; at < 10; at += 1) expect((await chat.write(visitor)).status).toBe(200);
    await chat.world.query('UPDATE gateway.web_chat_message SET created_at = now() WHERE visitor = $1', [address]);
    const other = await chat.signed('elsewhere@example.com', address.slice('user:'.length));
    expect((await chat.write(other.visitor)).status).toBe(429);
    const rows = await chat.world.query('SELECT email FROM gateway.web_chat_address WHERE visitor = $1', [address]);
    expect(rows).toEqual([{ email }]);
  });

  it.each([
    'x',
    'a@b',
    'Jane <jane@example.com>',
    'a@example.com, b@example.com',
    'a@example.com\r\nBcc: b@example.com',
    '@example.com',
  ])('is refused where it is none: %j', async (email) => {
    expect((await chat.ask('mail', { visitor: anonymous(), email }, '192.0.2.30')).body.code).toBe('invalid_email');
  });

  it('is turned off by its visitor, and by the button behind the link of a mail, not by the link', async () => {
    const { visitor, email, address } = await chat.signed();
    await chat.write(visitor);
    expect((await chat.ask('mail/stop', { visitor })).body.state).toBe('off');
    expect(await chat.mailOf(await chat.answer(address))).toBeNull();
    expect((await chat.ask('mail', { visitor, email })).body.state).toBe('on');
    await chat.ends(await chat.missed(address), 'sent');
    const link =
      /https?:\/\/\S+\/api\/v1\/web-chat\/mail\/off\?token=[\w-]+/.exec(chat.to(email)[0]!.message.text)?.[0] ?? '';
    const { pathname, search } = new URL(link);
    const url = await chat.urlOf();
    const page = await fetch(`${url}${pathname}${search}`);
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining(`Answers of this chat may go to ${email}`),
    ]);
    await chat.ends(await chat.missed(address), 'sent');
    const press = async (body: string) =>
      (
        await fetch(`${url}${pathname}${search}`, { method: 'POST', headers: { 'content-type': 'text/plain' }, body })
      ).text();
    expect(await press('mails=off\r\n')).toContain(`No mail of this chat goes to ${email}`);
    expect(await chat.ends(await chat.missed(address), 'dead')).toMatchObject({ reason: 'mail_refused' });
    // Nor a code, whoever asks.
    expect((await chat.ask('mail', { visitor: anonymous(), email }, '192.0.2.40')).body.code).toBe('mail_refused');
    expect(await press('mails=on')).toContain('may go to');
    expect(chat.to(email)).toHaveLength(2);
    const unknown = await fetch(`${url}${pathname}?token=${'x'.repeat(32)}`);
    expect(await unknown.text()).toContain('This link is not known');
  });
});
