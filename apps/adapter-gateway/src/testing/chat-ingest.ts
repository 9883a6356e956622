import type { InboundRequest } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import { type FakeAdapter, fakeAdapter } from './fake-adapter.js';
import { type GatewayWorld, plainRequest, startGateway } from './gateway-world.js';

/** A message as an adapter parses it; each number has a key of its own. */
export const message = (n: number, type = 'message_received'): object => ({
  event_type: type,
  sender: 'ada',
  message: `message ${n}`,
  is_bot: false,
  dedup_key: `key-${n}`,
});

/** Several messages in one delivery. */
export const batch = (messages: unknown): object => ({
  event_type: 'batch',
  sender: '',
  message: '',
  is_bot: false,
  metadata: { messages },
});

/** An App whose webhooks its adapter verifies and parses. */
export class ChatIngest {
  private constructor(
    readonly world: GatewayWorld,
    readonly adapter: FakeAdapter,
    readonly adapterId: string,
    readonly app: string,
  ) {}

  static async start(): Promise<ChatIngest> {
    const adapter = await fakeAdapter('chat');
    const world = await startGateway({}, adapter);
    const { id } = (await world.call('POST', 'adapters', { url: adapter.url })).body;
    const app = (await world.call('POST', 'listings/chat/install', {})).body;
    return new ChatIngest(world, adapter, id, app.id);
  }

  close(): Promise<void> {
    return this.world.close();
  }

  /** A webhook that the adapter parses so. @param scheme null: the adapter verifies it @returns the receipt's id */
  receive(answer: unknown, scheme: string | null = 'none'): Promise<string> {
    this.adapter.routes['parse-inbound'] = () => answer;
    return this.arrive(scheme);
  }

  /** A webhook that the adapter parses as before. @returns the receipt's id */
  arrive(scheme: string | null, request: Partial<InboundRequest> = {}): Promise<string> {
    return this.world.receive(this.app, { scheme, request });
  }

  /** Asks about a possible handshake; the adapter gives this answer. */
  async handshake(answer: unknown, known: { verified?: boolean; declared?: boolean } = {}) {
    this.adapter.routes['verify-webhook'] ??= () => ({ ok: true });
    this.adapter.routes['parse-inbound'] = () => answer;
    const received_at = new Date().toISOString();
    const asked = { request: plainRequest, received_at, verified: false, declared: false, ...known };
    return (await this.world.internal('POST', `apps/${this.app}/handshake`, asked)).body;
  }

  async routed(receipt: string) {
    return (await this.world.routed(receipt)).messages ?? [];
  }

  ended(receipt: string): Promise<{ outcome: string; reason: string }> {
    return until('the receipt has ended', async () => {
      const { rows } = await this.world.pool.query(
        `SELECT outcome, reason FROM ${everyEntry} e WHERE receipt_id = $1 AND outcome <> 'retrying'`,
        [receipt],
      );
      return rows[0];
    });
  }

  /** Waits until the page of the adapter shows the violation. */
  shown(violation: string): Promise<unknown> {
    return until('the page of the adapter shows it', async () => {
      const { body } = await this.world.call('GET', `adapters/${this.adapterId}`);
      return body.violation === violation;
    });
  }
}
