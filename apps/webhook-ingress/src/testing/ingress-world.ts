import { openWorld, testEnvironment, type World } from '#libs/testing';
import { type IngressSettings, readSettings } from '../env.js';
import { ingressService } from '../service.js';
import { type FakeGateway, fakeGateway } from './fake-gateway.js';

export interface IngressWorld extends World<IngressSettings> {
  gateway: FakeGateway;
  /** Sends JSON to the webhook URL with this token. @param at another replica's address than the first one's */
  post(
    token: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers?: Record<string, string>,
    at?: string,
  ): Promise<Response>;
}

/** The ingress on a database of its own, without a replica, and a gateway and vault that have what is `given`. */
export async function openIngress(given: Partial<FakeGateway> = {}): Promise<IngressWorld> {
  const gateway = Object.assign(await fakeGateway(), given);
  const urls = { GATEWAY_URL: gateway.url, VAULT_URL: gateway.url, ROUTER_URL: gateway.url };
  const world = await openWorld<IngressSettings>({
    service: ingressService,
    settings: ingressSettings(urls),
    beside: [gateway],
  });
  const post: IngressWorld['post'] = (token, body, headers, at = world.url) =>
    fetch(`${at}/api/v1/webhooks/${token}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  return Object.assign(world, { gateway, post });
}

export const ingressSettings = (change: Partial<IngressSettings> = {}): IngressSettings => ({
  ...readSettings(testEnvironment()),
  HTTP_CONNECTIONS_PER_ADDRESS: 10_000,
  HANDSHAKE_TIMEOUT_MS: 5_000,
  RECEIPT_BATCH: 10,
  SPOOL_MAX_BYTES: 1_048_576,
  HOLD_MS: 0,
  HOLD_MAX: 100,
  HOLD_MAX_BYTES: 1_048_576,
  REFUSALS_MAX_WAITING: 100,
  MAX_WAITING_JOBS: 1_000,
  RECEIPT_LEASE_MS: 60_000,
  ...change,
});
