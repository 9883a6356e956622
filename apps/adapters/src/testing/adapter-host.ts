import { Writable } from 'node:stream';
import { pino } from 'pino';
import { createAdapterServer, type AdapterDefinition, type JsonObject } from '#libs/adapter-sdk';
import { createEgress } from '#libs/egress';
import type { SocketHttp } from '../held-sockets/held-sessions.js';
import { PATIENT_MS } from './patience.js';

/** A listening adapter whose provider is on this machine. */
export interface AdapterHost {
  url: string;
  logs(): string;
  /** Calls a route of the contract; fails unless the answer is 200. */
  call(route: string, body: object): Promise<JsonObject>;
  close(): Promise<void>;
}

/**
 * Serves the adapter that `create` makes, with HTTP to 127.0.0.1; each call of the provider is limited to `timeoutMs`.
 */
export async function hostAdapter(
  create: (http: SocketHttp) => AdapterDefinition,
  timeoutMs = PATIENT_MS,
): Promise<AdapterHost> {
  let log = '';
  const sink = new Writable({ write: (chunk, _encoding, done) => ((log += String(chunk)), done()) });
  const egress = createEgress({ allow: ['127.0.0.1', 'localhost'] });
  const adapter = create({ fetch: egress.fetch, connect: egress.connect, timeoutMs, maxSockets: 10 });
  const app = createAdapterServer([adapter], { version: 'test', logger: pino({ level: 'info' }, sink) });
  app.addHook('onClose', () => egress.close());
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/${adapter.manifest.slug}`;
  return {
    url,
    logs: () => log,
    call: async (route, body) => {
      const answer = await fetch(`${url}/${route}`, { method: 'POST', body: JSON.stringify(body) });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${route} answered ${answer.status}: ${text}`);
      return JSON.parse(text) as JsonObject;
    },
    close: () => app.close(),
  };
}
