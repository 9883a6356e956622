import { setTimeout as wait } from 'node:timers/promises';

interface GatewayApp {
  id: string;
  kind: string;
  /** Only in the answer that creates the App. */
  webhook_path?: string | null;
  webhook_url?: string | null;
  webhook_hidden?: string | null;
}

export interface WebhookApp {
  app_id: string;
  /** `/api/v1/webhooks/<token>`; null when the gateway lacks the key that decrypts it. */
  webhook_url_path: string | null;
  webhook_token: string | null;
}

const retryMs = 500;
const requestTimeoutMs = 5_000;

/**
 * Finds the built-in Webhook App, or has the gateway create it.
 * @param waitMs how long to wait for the gateway
 * @throws Error with the gateway's answer, or that it does not answer
 */
export async function ensureWebhookApp(gatewayUrl: string, token: string, waitMs = 60_000): Promise<WebhookApp> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    try {
      return await findOrCreate(gatewayUrl, token);
    } catch (error) {
      if (error instanceof Refused || Date.now() >= deadline) throw error;
    }
    await wait(retryMs);
  }
}

/** The gateway answered, so a retry would give the same answer. */
class Refused extends Error {
  override readonly name = 'Refused';
}

async function findOrCreate(gatewayUrl: string, token: string): Promise<WebhookApp> {
  const call = async <T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> => {
    const answer = await fetch(`${gatewayUrl}/api/v1/apps${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text) as T;
    const message = `The gateway answered ${answer.status} to ${method} /api/v1/apps: ${text.slice(0, 500)}`;
    throw answer.status >= 500 ? new Error(message) : new Refused(message);
  };
  const builtin = await findBuiltin((query) => call('GET', query));
  const app = builtin
    ? await call<GatewayApp>('GET', `/${builtin.id}`)
    : await call<GatewayApp>('POST', '', { name: 'Webhook', kind: 'builtin' });
  return described(app);
}

type ListApps = (query: string) => Promise<{ data: GatewayApp[]; next_cursor: string | null }>;

async function findBuiltin(list: ListApps): Promise<GatewayApp | null> {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<ListApps>> = await list(
      `?limit=200${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
    );
    const found = page.data.find(({ kind }) => kind === 'builtin');
    if (found) return found;
    cursor = page.next_cursor;
  } while (cursor);
  return null;
}

function described(app: GatewayApp): WebhookApp {
  if (app.webhook_hidden === 'sealed_with_another_key') {
    return { app_id: app.id, webhook_url_path: null, webhook_token: null };
  }
  const path = app.webhook_path ?? (app.webhook_url ? new URL(app.webhook_url).pathname : '');
  const token = /^\/api\/v1\/webhooks\/([^/]+)$/.exec(path)?.[1];
  if (!token) throw new Refused(`The gateway returned no webhook URL for the App ${app.id}.`);
  return { app_id: app.id, webhook_url_path: path, webhook_token: token };
}
