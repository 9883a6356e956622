import type { AttentionItem } from '#libs/contracts';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A message as the gateway is asked to deliver it. */
export interface AskedDelivery {
  app_id: string;
  channel_address: string;
  idempotency_key: string;
  message: { text: string; subject: string; reply_context?: { alert: Record<string, unknown> } };
}

export interface AlertServices {
  url: string;
  /** What all services report. */
  items: AttentionItem[];
  /** Whether they answer at all. */
  away: boolean;
  rates: { events: number; failed: number; waiting: number; refused: number };
  /** Each message that was handed over, by its key; how often it was does not matter. */
  delivered: Map<string, AskedDelivery>;
  /** How often a message was handed over. */
  asked: number;
  /** Whether what is handed over is taken, and that is never answered. */
  mute: boolean;
  /** What becomes of deliveries. */
  outcome: { state: string; error: string | null; error_detail: string | null };
  close(): Promise<void>;
}

/** The services behind the portal, as alerts need them: real HTTP, and the gateway's promise about keys. */
export async function alertServices(): Promise<AlertServices> {
  const delivered = new Map<string, AskedDelivery>();
  const server = createServer((request, response) => {
    const send = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    void answer(request, send);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const services: AlertServices = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    items: [],
    away: false,
    rates: { events: 0, failed: 0, waiting: 0, refused: 0 },
    delivered,
    asked: 0,
    mute: false,
    outcome: { state: 'delivered', error: null, error_detail: null },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return services;

  async function answer(request: IncomingMessage, send: (status: number, body: object) => void): Promise<void> {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const body = request.method === 'POST' ? await json(request) : null;
    if (services.away) return send(503, { code: 'unavailable', detail: 'away' });
    if (path === '/internal/attention') return send(200, { data: services.items });
    if (path === '/internal/message-rates') return send(200, services.rates);
    if (path === '/internal/adapter-calls/deliver') {
      const call = body as AskedDelivery;
      services.asked += 1;
      const before = delivered.get(call.idempotency_key);
      if (before && JSON.stringify(before) !== JSON.stringify(call)) {
        return send(422, { code: 'idempotency_key_reused', detail: 'another message' });
      }
      delivered.set(call.idempotency_key, call);
      if (services.mute) return;
      return send(200, { delivery_id: `dlv_${call.idempotency_key.slice(4)}`, ...services.outcome });
    }
    const app = /^\/internal\/apps\/([^/]+)\/address-checks$/.exec(path)?.[1];
    if (app === undefined) return send(200, { data: [] });
    if (app === 'app_gone') return send(404, { code: 'app_not_found', detail: 'There is no app app_gone.' });
    return send(200, { kind: app.startsWith('app_web') ? 'builtin' : 'adapter', signs: app !== 'app_web_unsigned' });
  }
}

/** An item as a service reports it. */
export const attentionItem = (code: string, id: string | null, text = `${code} of ${id}`): AttentionItem => ({
  code,
  severity: 'error',
  text,
  what_to_do: 'Repair it.',
  resource: { kind: 'app', id },
  count: 1,
  since: null,
  scope: 'events:read',
});
