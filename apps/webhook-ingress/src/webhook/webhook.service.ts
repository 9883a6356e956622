import { type Endpoint, newId } from '#libs/contracts';
import { Metrics, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { gatewayClient } from '../endpoints/endpoints.service.js';
import type { DeliveryKey, Receipt } from '../receipts/receipt.js';
import { inboundRequest } from '../receipts/parse-job.js';
import { ReceiptWriter } from '../receipts/receipt-writer.js';
import { Feeder } from '../receipts/feeder.js';
import { BuiltinPayload } from './builtin-payload.js';
import { handshakeEcho } from './handshake.js';
import { Refused } from './refused.js';
import { Secrets } from './secrets.js';
import { verifySignature } from './verify-signature.js';

export interface Incoming {
  method: string;
  /** Path and query, the token still in it. */
  url: string;
  token: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  remoteAddress: string;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const handshakeTimeoutMs = 2_500;

/** Verify, commit, answer, wake: one request of a provider. */
@Injectable()
export class WebhookService {
  constructor(
    @Inject(Secrets) private readonly secrets: Secrets,
    @Inject(BuiltinPayload) private readonly builtin: BuiltinPayload,
    @Inject(ReceiptWriter) private readonly writer: ReceiptWriter,
    @Inject(Feeder) private readonly feeder: Feeder,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(gatewayClient) private readonly gateway: ServiceClient,
  ) {}

  /**
   * @returns the answer; a 2xx means that the receipt is committed (or was, under the same delivery key)
   * @throws Refused when the sender is at fault; any other error is ours, and a 503
   */
  async receive(endpoint: Endpoint, incoming: Incoming): Promise<Answer> {
    if (endpoint.state === 'disabled') throw new Refused(404, 'not_found', 'There is nothing here.');
    const challenge = await this.answerHandshake(endpoint, incoming);
    if (challenge) {
      this.metrics.outcomes.inc({ stage: 'received', outcome: 'challenge' });
      return challenge;
    }
    const verifiedScheme = await this.verify(endpoint, incoming);
    if (endpoint.kind === 'builtin') {
      await this.builtin.check(endpoint, one(incoming.headers['content-type']), incoming.body);
    }
    const receipt = receiptOf(endpoint, incoming, verifiedScheme);
    const key = verifiedScheme === null ? null : deliveryKey(endpoint, incoming);
    const written = await this.writer.write(receipt, key);
    if (!written.stored) {
      if (written.sameBody) return this.accepted(endpoint, written.firstId, true);
      if (endpoint.kind === 'builtin') {
        throw new Refused(422, 'idempotency_key_reused', 'This key came before with another body: use a new key.');
      }
      // A provider's own id with another body is the provider's business: keep both, and say so in the timeline.
      await this.writer.write({ ...receipt, reason: 'delivery_id_reused' }, null);
    }
    this.metrics.outcomes.inc({ stage: 'received', outcome: receipt.outcome });
    if (receipt.outcome !== 'held') this.feeder.offer(receipt);
    return this.accepted(endpoint, receipt.id, false);
  }

  private accepted(endpoint: Endpoint, id: string, duplicate: boolean): Answer {
    const { status, body, content_type } = endpoint.ack;
    return {
      status,
      headers: { 'content-type': content_type ?? 'application/json', location: `/api/v1/events/${id}` },
      body: body ?? (duplicate ? `{"received":true,"duplicate":true,"id":"${id}"}` : `{"received":true,"id":"${id}"}`),
    };
  }

  private async verify(endpoint: Endpoint, incoming: Incoming): Promise<string | null> {
    const { verification } = endpoint;
    if (verification === 'none') return 'none';
    if (verification === 'adapter') return null;
    const secrets = await this.secrets.of(endpoint, verification.secret_fields);
    return verifySignature(verification, secrets, incoming.headers, incoming.body, Date.now());
  }

  /** Declared handshakes are answered here; those of an App that waits for its first go through its adapter. */
  private async answerHandshake(endpoint: Endpoint, incoming: Incoming): Promise<Answer | null> {
    const { handshake } = endpoint;
    if (handshake && handshake.method === incoming.method) {
      const field = handshake.verify_token?.field;
      const [token = null] = field ? await this.secrets.of(endpoint, [field]) : [];
      const query = new URL(incoming.url, 'http://localhost').searchParams;
      const echo = handshakeEcho(handshake, incoming.method, query, incoming.body, token);
      if (echo !== null) return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: echo };
    }
    if (incoming.method === 'POST' && !endpoint.adapter_handshake) return null;
    const answer = endpoint.kind === 'adapter' ? await this.askAdapter(endpoint, incoming) : null;
    if (answer) return answer;
    if (incoming.method !== 'POST') throw new Refused(405, 'method_not_allowed', 'Send POST.', { allow: 'POST' });
    return null;
  }

  private async askAdapter(endpoint: Endpoint, incoming: Incoming): Promise<Answer | null> {
    const asked = this.gateway.post<{ answer: Answer | null }>(
      `/internal/apps/${endpoint.app_id}/handshake`,
      { organizationId: endpoint.organization_id, projectId: endpoint.project_id },
      { request: inboundRequest(receiptOf(endpoint, incoming, null)), received_at: new Date().toISOString() },
    );
    const late = new Promise<never>((_resolve, reject) =>
      setTimeout(() => reject(new Error('handshake timed out')), handshakeTimeoutMs).unref(),
    );
    return (await Promise.race([asked, late])).answer;
  }
}

function receiptOf(endpoint: Endpoint, incoming: Incoming, verifiedScheme: string | null): Receipt {
  const nowMs = Date.now();
  return {
    id: newId('evt', nowMs),
    receivedAt: new Date(nowMs),
    organizationId: endpoint.organization_id,
    projectId: endpoint.project_id,
    appId: endpoint.app_id,
    outcome: endpoint.state === 'paused' ? 'held' : 'accepted',
    reason: null,
    method: incoming.method,
    url: endpoint.url_secret ? incoming.url : incoming.url.replace(incoming.token, '***'),
    headers: incoming.headers as Receipt['headers'],
    body: incoming.body,
    verifiedScheme,
    remoteAddress: incoming.remoteAddress,
    traceparent: one(incoming.headers['traceparent']) ?? null,
  };
}

/** `Idempotency-Key`, `webhook-id`, or the delivery id that the App's manifest declares. */
function deliveryKey(endpoint: Endpoint, incoming: Incoming): DeliveryKey | null {
  const names = ['idempotency-key', 'webhook-id', endpoint.delivery_id_header].filter((name) => name !== null);
  for (const name of names) {
    const value = one(incoming.headers[name]);
    if (value) return { hash: sha256(`${name}:${value}`), bodyHash: sha256(incoming.body) };
  }
  return null;
}

function sha256(value: string | Buffer): Buffer {
  return createHash('sha256').update(value).digest();
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
