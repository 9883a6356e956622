import { eventResult, latestEntries } from '#libs/journal';
import { home, until } from '#libs/testing';
import { randomUUID } from 'node:crypto';
import { type CallBody, type FakeAdapter, fakeAdapter } from './fake-adapter.js';
import { identitySecret, origin, siteToken, WebChat } from './web-chat.js';

/** Longer than any test: a mail is due when its test says so. */
export const awayMs = 3_600_000;
export const codesPerApp = 100;

let people = 0;

/** A web chat whose answers go by mail to visitors who are away. */
export class ChatByMail extends WebChat {
  mail!: FakeAdapter;
  mailApp = '';

  override async start(): Promise<void> {
    this.mail = await fakeAdapter('post', {
      credentials: [],
      message: { mail: true, threads: true },
      features: ['files'],
    });
    const fields = { ORIGINS: origin, IDENTITY_SECRET: identitySecret, ANONYMOUS: 'yes' };
    const settings = { WEB_CHAT_AWAY_AFTER_MS: awayMs, WEB_CHAT_CODES_PER_APP: codesPerApp };
    await super.start(['files'], fields, settings, this.mail);
    this.mailApp = (await this.world.install(this.mail)).id;
    const { status } = await this.world.call('PUT', `apps/${this.app}/web-chat`, { mail_app_id: this.mailApp });
    if (status !== 200) throw new Error(`The mail App was not set: ${status}`);
    this.reset();
  }

  override reset(): void {
    super.reset();
    this.mail.routes['deliver'] = ({ idempotency_key: key }) => ({ ok: true, message_id: `<${key}@example.com>` });
  }

  /** A visitor whom the site has signed, with an address that no other test has. */
  async signed(email = `jane${(people += 1)}@example.com`, sub: string = randomUUID()) {
    return { visitor: { token: await siteToken({ sub, email }) }, email, address: `user:${sub}` };
  }

  /** @param client the address that it comes from */
  async ask(path: string, body: object, client = '192.0.2.1') {
    const answer = await this.post(path, body, { origin, 'x-forwarded-for': client });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }

  /** What was sent to a mail address. */
  to(email: string): CallBody[] {
    return this.mail.bodiesOf('deliver').filter(({ channel_address: address }) => address === email);
  }

  async mailOf(id: string) {
    return (await this.deliveries.read(id)).mail;
  }

  /** Outcome and reason of each entry about the mail of an answer. */
  async mailEntriesOf(id: string) {
    const sql = 'SELECT id FROM gateway.web_chat_mail WHERE message_id = $1';
    const [row] = await this.world.query<{ id: string }>(sql, [id]);
    return row ? this.deliveries.journalOf(row.id) : [];
  }

  /** What lists say of an event that this delivery answers. */
  async eventOf(id: string) {
    const { receipt_id } = await this.deliveries.read(id);
    const turn = { receipt_id, stage: 'turn', subject_id: 'trn', outcome: 'succeeded', reason: null } as const;
    const latest = await latestEntries({ query: this.world.query }, home, [receipt_id]);
    return eventResult([{ id: 'trn', last: { ...turn, detail: { delivery_id: id } } }], latest).state;
  }

  async answer(address: string, text = 'The answer.') {
    const id = await this.deliveries.send(this.app, { text, address });
    await this.deliveries.inState(id, 'delivered');
    return id;
  }

  /** The time is over after which the visitor of an answer counts as away. */
  async due(id: string) {
    const sql = `UPDATE gateway.web_chat_mail SET due_at = now() WHERE message_id = $1 AND state = 'queued'`;
    await this.world.query(sql, [id]);
    return id;
  }

  /** An answer to a visitor who is away for long. */
  async missed(address: string, text?: string) {
    return this.due(await this.answer(address, text));
  }

  ends(id: string, state: string) {
    return until(`the mail is ${state}`, async () => {
      const row = await this.mailOf(id);
      return row?.state === state ? row : null;
    });
  }
}
