import {
  columnsOf,
  inboundParse,
  type InboundRequest,
  messageRoute,
  type MessageRoutePayload,
  newId,
} from '#libs/contracts';
import { JobClient } from '#libs/queue';
import { home, type Json, openWorld, testEnvironment, testRedisUrl, until, type World } from '#libs/testing';
import { type GatewaySettings, readSettings } from '../env.js';
import type { AppView } from '../manage/apps/app-view.dto.js';
import { gatewayService } from '../service.js';
import { type FakeVault, fakeVault } from './fake-vault.js';
import type { GatewayInternalViews, GatewayViews } from './gateway-views.js';
import { httpServer, sendJson, type TestServer } from './http-server.js';

/** How a receipt differs from the usual one. */
interface Arrival {
  id?: string;
  /** Null: the adapter verifies it. */
  scheme?: string | null;
  /** Null: it is not in the job, so the gateway asks the ingress. */
  request?: Partial<InboundRequest> | null;
}

/** Called as a person who may write Apps, and by another service. */
export interface GatewayWorld extends World<GatewaySettings, GatewayViews, GatewayInternalViews> {
  vault: FakeVault;
  jobs: JobClient;
  /** Registers an adapter and installs it. */
  install(adapter: { url: string; slug: string }, body?: object): Promise<Json<AppView>>;
  /** Enqueues a receipt of the App as the ingress does. @returns its id */
  receive(app: string, arrival?: Arrival): Promise<string>;
  /** Waits until the receipt is handed on to the router. */
  routed(receipt: string): Promise<MessageRoutePayload>;
}

export const plainRequest: InboundRequest = {
  method: 'POST',
  url: '/',
  path: '/',
  query: {},
  headers: {},
  body: '{}',
  body_encoding: 'utf8',
};

/** An ingress that has this request for every receipt. */
export const fakeIngress = (request: InboundRequest = plainRequest): Promise<TestServer> =>
  httpServer((_path, _body, response) => sendJson(response, { request }));

/**
 * A gateway on a database and empty queues of its own, and a vault; `start` starts another replica with the same settings.
 * @param beside fakes that are closed after it
 */
export async function startGateway(
  settings: Partial<GatewaySettings> = {},
  ...beside: { close(): Promise<unknown> }[]
): Promise<GatewayWorld> {
  const vault = await fakeVault();
  const jobs = new JobClient(testRedisUrl());
  const gateway = await openWorld<GatewaySettings, GatewayViews, GatewayInternalViews>({
    service: gatewayService,
    settings: { ...gatewayDefaults, VAULT_URL: vault.url, ...settings },
    queues: ['inbound', 'outbound', 'sync', 'route', 'app-changes'],
    caller: { scopes: ['apps:write', 'deliveries:write'] },
    beside: [jobs, vault, ...beside],
  });
  await gateway.start();
  return Object.assign(gateway, {
    vault,
    jobs,
    install: async ({ url, slug }: { url: string; slug: string }, body: object = {}) => {
      await gateway.call('POST', 'adapters', { url });
      return (await gateway.call('POST', `listings/${slug}/install`, body)).body;
    },
    receive: async (app: string, { id = newId('evt'), scheme = 'none', request = {} }: Arrival = {}) => {
      await jobs.enqueue(inboundParse, {
        receipt_id: id,
        received_at: new Date().toISOString(),
        ...columnsOf(home),
        app_id: app,
        verified_scheme: scheme,
        ...(request === null ? {} : { request: { ...plainRequest, ...request } }),
      });
      return id;
    },
    routed: (receipt: string) =>
      until('the message is handed on', async () =>
        (await gateway.waiting(messageRoute)).find(({ receipt_id: id }) => id === receipt),
      ),
  });
}

/** Short waits, and limits that tests reach. */
export const gatewayDefaults: GatewaySettings = {
  ...readSettings(testEnvironment()),
  SAMPLE_URL: 'http://127.0.0.1:9',
  ADAPTER_TIMEOUT_MS: 20_000,
  ADAPTER_MAX_RESPONSE_BYTES: 1_048_576,
  DELIVERY_TIMEOUT_MS: 20_000,
  DELIVERY_LEASE_MS: 10_000,
  DELIVERY_ATTENTION_MS: 0,
  CREDENTIAL_WAIT_MS: 3_600_000,
  DELIVERY_MAX_AGE_MS: 86_400_000,
  POISON_TRIAL_MS: 1_000,
  PARSE_LEASE_MS: 10_000,
  PARSE_MAX_AGE_MS: 86_400_000,
  DELIVERY_MAX_PARTS: 4,
  HELD_CONNECTIONS: 50,
  CONNECTION_SWEEP_MS: 50,
  CONNECTION_LEASE_MS: 3_000,
  CONNECTION_WAIT_S: 1,
  CONNECTION_PAUSE_MS: 20,
  WEB_CHAT_MESSAGE_CHARS: 200,
  WEB_CHAT_RATE_PER_VISITOR: 10,
  WEB_CHAT_FILE_BYTES: 1_000,
  WEB_CHAT_FILES_PER_MESSAGE: 2,
  WEB_CHAT_FILES_PER_HOUR: 4,
  WEB_CHAT_RATE_PER_ADDRESS: 1_000,
  WEB_CHAT_STREAMS: 50,
  WEB_CHAT_STREAMS_PER_APP: 20,
  WEB_CHAT_READ_MS: 50,
  WEB_CHAT_AWAY_AFTER_MS: 600,
  WEB_CHAT_MAIL_SWEEP_MS: 50,
  WEB_CHAT_MAILS_PER_ADDRESS: 3,
  CHOICE_WAIT_MS: 3_600_000,
  DELIVERY_ATTACHMENTS_MAX_BYTES: 10_000,
  HEALTH_POLL_MS: 200,
  HEALTH_POLL_MAX_MS: 400,
  HEALTH_TIMEOUT_MS: 20_000,
  RENEWAL_SWEEP_MS: 60_000,
  MISSED_SWEEP_MS: 60_000,
  MISSED_ASK_AFTER_MS: 0,
  MISSED_MAX_PAGES: 5,
  SOURCE_MAX_FILE_BYTES: 65_536,
  KNOWLEDGE_MAX_FILE_BYTES: 1_024,
  SYNC_LEASE_MS: 10_000,
  SYNC_SLICE_MS: 10_000,
  SYNC_ATTEMPTS: 5,
  DOCUMENT_ATTEMPTS: 2,
  SYNC_SWEEP_MS: 100,
};
