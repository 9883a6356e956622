import { freePort } from '#libs/testing';
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What was sent into a room. */
export interface SentMessage {
  id: string;
  room: string;
  text: string;
  thread: string;
  key: string;
}

/** The imagined messenger itself, over real HTTP: its tokens, rooms, pages and subscriptions. */
export interface Courier {
  url: string;
  /** By token. */
  accounts: Map<string, { id: string; name: string }>;
  /** Oldest first; one with a known `key` is not sent again. */
  sent: SentMessage[];
  /** What its rooms were shown of who writes, oldest first: `room state`. */
  writing: string[];
  /** Its pages by name. */
  pages: Map<string, string>;
  /** Addresses that it sends events to. */
  subscriptions: string[];
  /** What it keeps for whoever asks, oldest first. */
  kept: { id: string; body: string }[];
  /** What it could not deliver. */
  undelivered: { id: string; body: string; at: Date }[];
  /** A status that it answers to every call, instead of working. */
  trouble: number | null;
  /** How many messages it refuses for now with 429. */
  limited: number;
  /** Messages are sent, and their answers withheld, while this is true. */
  mute: boolean;
  close(): Promise<void>;
}

const pagesAtOnce = 2;
const markOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export async function openCourier(): Promise<Courier> {
  const accounts: Courier['accounts'] = new Map();
  const state = {
    accounts,
    sent: [] as SentMessage[],
    writing: [] as string[],
    pages: new Map<string, string>(),
    subscriptions: [] as string[],
    kept: [] as Courier['kept'],
    undelivered: [] as Courier['undelivered'],
    trouble: null as number | null,
    limited: 0,
    mute: false,
  };
  /** Everything since `after`: how far the listing has come, and what was seen. */
  const listed = (after: string) => {
    const seen: Record<string, string> = after === '' ? {} : JSON.parse(after);
    const changed = [
      ...[...state.pages]
        .filter(([name, text]) => seen[name] !== markOf(text))
        .map(([name, text]) => ({ name, mark: markOf(text), state: name in seen ? 'modified' : 'added' })),
      ...Object.keys(seen)
        .filter((name) => !state.pages.has(name))
        .map((name) => ({ name, mark: null, state: 'removed' })),
    ];
    const pages = changed.slice(0, pagesAtOnce);
    for (const { name, mark } of pages) {
      if (mark === null) delete seen[name];
      else seen[name] = mark;
    }
    return { pages, next: JSON.stringify(seen), more: changed.length > pages.length };
  };
  const answer = async (request: IncomingMessage): Promise<[number, unknown]> => {
    const url = new URL(request.url ?? '', 'http://courier');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString());
    if (state.trouble !== null) return [state.trouble, {}];
    const me = accounts.get(String(request.headers.authorization).replace('Bearer ', ''));
    if (!me) return [401, { error: 'unknown token' }];
    const [, kind, name = ''] = url.pathname.split('/').map(decodeURIComponent);
    if (kind === 'me') return [200, me];
    if (kind === 'subscription') {
      state.subscriptions.push(body.url);
      return [200, { until: new Date(Date.now() + 7 * 86_400_000).toISOString() }];
    }
    if (kind === 'events') return [200, { events: state.kept.slice(Number(url.searchParams.get('after'))) }];
    if (kind === 'undelivered') {
      const [since, before] = ['since', 'until'].map((limit) => new Date(url.searchParams.get(limit) ?? ''));
      return [200, { events: state.undelivered.filter(({ at }) => since && before && at >= since && at <= before) }];
    }
    if (kind === 'pages' && name === '') return [200, listed(url.searchParams.get('after') ?? '')];
    if (kind === 'pages') return state.pages.has(name) ? [200, Buffer.from(state.pages.get(name) ?? '')] : [404, {}];
    if (kind === 'messages') {
      const key = url.searchParams.get('key');
      return [200, { id: state.sent.find((message) => message.key === key)?.id ?? null }];
    }
    if (kind === 'writing') {
      state.writing.push(`${name} ${body.state}`);
      return [200, {}];
    }
    if (state.limited > 0) {
      state.limited -= 1;
      return [429, {}];
    }
    const known = state.sent.find((message) => message.key === body.key);
    if (known) return [200, { id: known.id }];
    const id = `sent-${state.sent.length + 1}`;
    state.sent.push({ id, room: name, ...body });
    while (state.mute) await new Promise((resolve) => setTimeout(resolve, 20));
    return [200, { id }];
  };
  const server = createServer((request, response) => {
    void answer(request).then(([status, value]) => {
      const wait = status === 429 ? { 'retry-after': '1' } : {};
      response.writeHead(status, wait).end(Buffer.isBuffer(value) ? value : JSON.stringify(value));
    });
  });
  await once(server.listen(await freePort(), '127.0.0.1'), 'listening');
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** Sends an event as Courier does. @param at Unix seconds */
export function courierEvent(url: string, event: object, secret: string, at = Math.floor(Date.now() / 1000)) {
  const body = JSON.stringify(event);
  const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'courier-signature': `${at},${signature}` },
    body,
  });
}
