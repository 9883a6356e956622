import { newId } from '#libs/contracts';
import { until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SignJWT } from 'jose';
import { randomBytes, randomUUID } from 'node:crypto';
import type { GatewaySettings } from '../env.js';
import { type ChatPage, openPage } from './chat-page.js';
import { Deliveries } from './deliveries.js';
import { type FakeAdapter, fakeAdapter } from './fake-adapter.js';
import { type GatewayWorld, startGateway } from './gateway-world.js';
import { httpServer, sendJson } from './http-server.js';

/** The site that the chat is on. */
export const origin = 'https://www.example.com';
export const identitySecret = 'TWFkZSBmb3IgdGVzdHM6IHRoZSBmaXJzdCBhY2NvdW50';

/** What the chat hands to the ingress. */
export interface Submission {
  visitor: { id: string; signed: boolean; name?: string };
  text?: string;
  action?: object;
  files?: object[];
}

interface Written {
  status: number;
  headers: Headers;
  body: { id?: string; code?: string; limit?: { name: string } };
}

/** A visitor whom the site has not signed. */
export const anonymous = () => ({ secret: randomBytes(32).toString('base64url') });

/** The site's word for who a visitor is. */
export const siteToken = (claims: Record<string, unknown>, secret = identitySecret, ends: string | number = '5m') =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(ends)
    .sign(new TextEncoder().encode(secret));

export const texts = (page: ChatPage): string[] => page.messages.map(({ author, text }) => `${author}: ${text}`);

export const shows = (page: ChatPage, ...wanted: string[]) =>
  until(
    `the page shows ${wanted.join(', ')}, and not ${texts(page).join(', ')}`,
    () => texts(page).join('|') === wanted.join('|'),
  );

/** An App that is a web chat, at two replicas of the gateway, with an ingress that stores what its visitors write. */
export class WebChat {
  /** What the ingress has stored, each once. */
  readonly stored = new Map<string, Submission>();
  /** What the ingress answers instead of 200; null: it stores. */
  refusing: number | null = null;
  world!: GatewayWorld;
  gateways!: NestFastifyApplication[];
  deliveries!: Deliveries;
  adapter!: FakeAdapter;
  app = '';
  private readonly pages: ChatPage[] = [];

  /** @param beside fakes that are closed with it */
  async start(
    features: string[],
    fields: Record<string, string>,
    settings: Partial<GatewaySettings> = {},
    ...beside: FakeAdapter[]
  ): Promise<void> {
    const ingress = await httpServer((path, body, response) => {
      if (!path.endsWith('/fetched-requests')) return sendJson(response, { request: {} });
      if (this.refusing !== null) return sendJson(response, { code: 'refused', detail: 'no' }, this.refusing);
      const { id, body: text } = JSON.parse(body) as { id: string; body: string };
      const duplicate = this.stored.has(id);
      if (!duplicate) this.stored.set(id, JSON.parse(text));
      return sendJson(response, { event_id: `evt_${this.stored.size}`, duplicate });
    });
    const credentials = ['origins', 'identity_secret', 'anonymous'].map((maps_to) => ({
      key: maps_to.toUpperCase(),
      type: 'text',
      label: maps_to,
      maps_to,
      required: maps_to === 'origins',
    }));
    const message = { mailbox: true, idempotent: true, formats: ['markdown'] };
    this.adapter = await fakeAdapter('chat', { credentials, message, features });
    this.world = await startGateway({ INGRESS_URL: ingress.url, ...settings }, ingress, this.adapter, ...beside);
    this.gateways = [this.world.app, await this.world.start()];
    this.adapter.routes['deliver'] = ({ idempotency_key: key }) => ({ ok: true, message_id: key });
    this.adapter.routes['format'] = ({ text }) => ({ text, format: 'markdown', parts: [text], lossy: [] });
    this.deliveries = new Deliveries(this.world);
    this.app = (await this.world.install(this.adapter)).id;
    await this.configure(fields);
  }

  /** Between two tests. */
  reset(): void {
    for (const page of this.pages.splice(0)) page.leave();
    this.refusing = null;
  }

  close(): Promise<void> {
    return this.world.close();
  }

  /** Gives the App these credentials, by its declarations' names. */
  async configure(fields: Record<string, string>): Promise<void> {
    const id = newId('cred');
    this.world.vault.credentials.set(id, fields);
    const credentials = Object.fromEntries(Object.keys(fields).map((key) => [key, id]));
    const { status, body } = await this.world.call('PATCH', `apps/${this.app}`, { credentials });
    if (status !== 200) throw new Error(`The App was not configured: ${JSON.stringify(body)}`);
  }

  urlOf(replica = 0): Promise<string> {
    return this.gateways[replica]!.getUrl();
  }

  /** A page of the visitor, until it is left or the test is over. */
  async open(
    visitor: object,
    { after = 0, replica = 0, headers = { origin } }: { after?: number; replica?: number; headers?: object } = {},
  ): Promise<ChatPage> {
    const page = await openPage(await this.urlOf(replica), { app: this.app, visitor, after }, { ...headers });
    this.pages.push(page);
    return page;
  }

  async post(path: string, body: object, headers: object = { origin }): Promise<Response> {
    return fetch(`${await this.urlOf()}/api/v1/web-chat/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain;charset=UTF-8', ...headers },
      body: JSON.stringify({ app: this.app, ...body }),
    });
  }

  async write(
    visitor: object,
    message: object = { text: 'hello' },
    headers: object = { origin },
    app = this.app,
  ): Promise<Written> {
    const answer = await this.post('messages', { app, visitor, id: randomUUID(), ...message }, headers);
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Written['body'] };
  }

  /** Writes once, so that the visitor has an address to answer to. */
  async addressOf(visitor: object): Promise<string> {
    const id = randomUUID();
    const { status } = await this.write(visitor, { id, text: 'hello' });
    const [, submission] = [...this.stored].find(([key]) => key.endsWith(id)) ?? [];
    if (status !== 200 || !submission) throw new Error(`The message was not stored: ${status}`);
    return submission.visitor.id;
  }
}
