import { columnsOf, type Endpoint } from '#libs/contracts';
import { type HeldProject, HeldProjects, Journal } from '#libs/journal';
import { limitReached, Metrics } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { hash as digest } from 'node:crypto';
import { type Answer, asRefused, deliveryIdOf, type Incoming, one, Refused } from '../request/incoming.js';
import { type DeliveryKey, type Receipt, receiptOf } from '../receipts/receipt.repository.js';
import { ReceiptHold } from '../receipts/receipt-hold.js';
import { ReceiptWriter } from '../receipts/receipt-writer.js';
import { Dispatcher } from '../receipts/dispatcher.js';
import { BuiltinPayload } from './builtin-payload.js';
import { Handshakes } from './handshakes.js';
import { type IngressSettings, SETTINGS } from '../../env.js';
import { Secrets, type Verified, verifySignature } from './verify-signature.js';
import { PublicAddress } from '../receipts/receipt-job.js';

/**
 * How a request was verified that the platform asked the provider for, with the credentials of the App: there is no
 * signature to check. `missed`: the provider could not deliver it. `fetched`: it never delivers to the App.
 */
export const fetchedAs = ['missed', 'fetched'] as const;
export type FetchedAs = (typeof fetchedAs)[number];

/** Only Slack signs in this header. */
const slackHeader = 'x-slack-signature';

/** Verify, commit, answer, enqueue: one request of a provider. */
@Injectable()
export class WebhookService {
  constructor(
    private readonly secrets: Secrets,
    private readonly builtin: BuiltinPayload,
    private readonly writer: ReceiptWriter,
    private readonly hold: ReceiptHold,
    private readonly dispatcher: Dispatcher,
    private readonly metrics: Metrics,
    private readonly handshakes: Handshakes,
    private readonly journal: Journal,
    private readonly at: PublicAddress,
    private readonly holds: HeldProjects,
    @Inject(SETTINGS) private readonly settings: Pick<IngressSettings, 'HOLD_SLACK_MS'>,
  ) {
    const over = 'Projects that send more than their share, whose surplus waits behind others';
    metrics.gauge('gatehouse_projects_over_share', over, () => dispatcher.held.projects);
    const waiting = 'Messages that wait in Postgres for room in the queues, or for the limit of their project';
    metrics.gauge('gatehouse_messages_waiting', waiting, () => dispatcher.held.messages);
  }

  /**
   * @returns the answer; a 2xx means that the receipt is committed (or was, under the same delivery key)
   * @throws Refused when the sender is at fault; any other error is ours, and becomes a 503
   */
  async receive(endpoint: Endpoint, incoming: Incoming): Promise<Answer> {
    if (endpoint.state === 'project_closed') {
      // Not 410: the project may be opened again, and a sender that reads 410 never comes back.
      throw new Refused(404, 'project_closed', 'The project of this webhook is closed.');
    }
    if (endpoint.state === 'disabled') throw new Refused(404, 'not_found', 'There is nothing here.');
    requireTaken(await this.holds.soon(endpoint.project_id));
    if (incoming.method !== 'POST') return this.challenged(await this.handshakes.answerGet(endpoint, incoming));
    // Some senders sign nothing until their handshake is answered.
    if (endpoint.handshake?.unsigned && this.handshakes.mayBe(endpoint, incoming)) {
      const challenge = await this.handshakes.answerPost(endpoint, incoming, true);
      if (challenge) return this.challenged(challenge);
    }
    const verified = await this.verify(endpoint, incoming);
    const verifiedScheme = verified?.scheme ?? null;
    if (this.handshakes.mayBe(endpoint, incoming)) {
      const challenge = await this.handshakes.answerPost(endpoint, incoming, verifiedScheme !== null);
      if (challenge) return this.challenged(challenge);
    }
    if (endpoint.kind === 'builtin') {
      const workflowId = this.builtin.workflowIdIn(one(incoming.headers['content-type']), incoming.body);
      if (workflowId !== null) await this.builtin.requireWorkflow(endpoint, workflowId);
    }
    const receipt = receiptOf(endpoint, incoming, verifiedScheme);
    if (incoming.probe) return this.probed(endpoint, receipt);
    this.requirePlace(endpoint);
    const key = verifiedScheme === null ? null : deliveryKey(endpoint, incoming);
    const signed = signedKey(endpoint, incoming, verified);
    const written = await this.hold.write(receipt, key, signed, this.patienceOf(endpoint));
    if (!written.stored) {
      if (written.sameBody) return this.accepted(endpoint, written.firstId, true);
      if (endpoint.kind === 'builtin') {
        throw new Refused(422, 'idempotency_key_reused', 'This key was used before with another body: use a new key.');
      }
      // A provider's own id with another body is the provider's business: keep both, and say so in the timeline.
      await this.hold.write({ ...receipt, reason: 'delivery_id_reused' }, null, null, this.patienceOf(endpoint));
    }
    this.metrics.outcomes.inc({ stage: 'received', outcome: receipt.outcome });
    // What is spooled is handed over once Postgres has it.
    const isSpooled = written.stored && written.spooled === true;
    if (receipt.outcome !== 'held' && !isSpooled) this.dispatcher.offer(receipt, undefined, endpoint);
    return this.accepted(endpoint, receipt.id, false);
  }

  /**
   * Takes a request that the platform fetched from the provider itself, once per id. One that names its delivery as the
   * webhook would is that webhook: the first of both is stored.
   * @throws Refused; any other error: it is not stored
   */
  async take(
    endpoint: Endpoint,
    incoming: Incoming,
    { as, id }: { as: FetchedAs; id: string },
  ): Promise<{ event_id: string; duplicate: boolean }> {
    if (endpoint.state === 'retired') throw new Refused(410, 'app_retired', 'The App is retired.');
    if (endpoint.state === 'project_closed') throw new Refused(404, 'project_closed', 'The project is closed.');
    if (endpoint.state === 'disabled') throw new Refused(404, 'app_disabled', 'The App is disabled.');
    requireTaken(await this.holds.soon(endpoint.project_id));
    this.requirePlace(endpoint);
    const receipt = receiptOf(endpoint, incoming, as);
    if (as === 'missed') receipt.reason = as;
    const name = deliveryIdOf(endpoint, incoming.headers)?.key ?? `fetched:${id}`;
    const key = { hash: sha256(name), bodyHash: sha256(incoming.body) };
    const written = await this.hold.write(receipt, key, null, Infinity);
    if (!written.stored) return { event_id: written.firstId, duplicate: true };
    this.metrics.outcomes.inc({ stage: 'received', outcome: receipt.outcome });
    if (receipt.outcome !== 'held' && written.spooled !== true) this.dispatcher.offer(receipt, undefined, endpoint);
    return { event_id: receipt.id, duplicate: false };
  }

  /** @returns what was checked; null when the adapter has to check. @throws Refused */
  private async verify(endpoint: Endpoint, incoming: Incoming): Promise<Verified | null> {
    const { verification } = endpoint;
    const { method, url, headers, body, compressed } = incoming;
    if (verification === 'none') return { scheme: 'none', signedAt: null };
    if (verification === 'adapter') return null;
    // Most senders sign what they compress; what they sent is what a signature is over by the letter.
    const forms = compressed ? [compressed, body] : [body];
    const request = { method, url: `${this.at.url}${url}`, headers };
    return this.secrets.checked(endpoint, (fields) =>
      verifySignature(verification, fields, request, forms, Date.now()),
    );
  }

  /** @throws Refused 429 when too much waits for the project's limit already */
  private requirePlace(endpoint: Endpoint): void {
    const seconds = this.dispatcher.fullForS(endpoint.project_id);
    if (seconds === null) return;
    const name = 'messages_per_second';
    const raise = `Raise ${name} in the project's settings or with PUT /api/v1/projects/<id>/limits; where it is not set, PROJECT_MESSAGES_PER_SECOND counts. PROJECT_MAX_WAITING says how many may wait.`;
    const value = this.dispatcher.rateOf(endpoint.project_id);
    const limit = { name, of: 'project', value, window_seconds: 1, raise } as const;
    const what = 'Too many messages of this project already wait for its limit';
    throw asRefused(limitReached('project_limit', what, limit, Math.min(seconds, 3_600)));
  }

  /** Slack takes no answer after three seconds, and sends again; most senders wait for ten. */
  private patienceOf({ verification }: Endpoint): number {
    const isSlack = typeof verification === 'object' && verification.header === slackHeader;
    return isSlack ? this.settings.HOLD_SLACK_MS : Infinity;
  }

  /**
   * Stores, answers and ends a probe. It claims no delivery key, which a real delivery may have, and is not enqueued.
   */
  private async probed(endpoint: Endpoint, receipt: Receipt): Promise<Answer> {
    await this.writer.write(receipt, null);
    await this.journal.appendNow({
      receipt_id: receipt.id,
      ...columnsOf(receipt),
      app_id: receipt.appId,
      stage: 'received',
      outcome: 'verification',
      reason: 'sent_by_verify',
    });
    return this.accepted(endpoint, receipt.id, false);
  }

  private challenged(answer: Answer): Answer {
    this.metrics.outcomes.inc({ stage: 'received', outcome: 'challenge' });
    return answer;
  }

  private accepted(endpoint: Endpoint, id: string, duplicate: boolean): Answer {
    const { status, body, content_type } = endpoint.ack;
    return {
      status,
      ...(duplicate ? {} : { event_id: id }),
      headers: { 'content-type': content_type ?? 'application/json', location: `/api/v1/events/${id}` },
      body: body ?? (duplicate ? `{"received":true,"duplicate":true,"id":"${id}"}` : `{"received":true,"id":"${id}"}`),
    };
  }
}

/**
 * Webhooks of a project that leaves, or has left, are taken: they are handed on. Of one that is still arriving they are
 * not, since an abort deletes what is here.
 * @throws Refused
 */
function requireTaken(held: HeldProject | null): void {
  if (held?.state === 'arriving') {
    const retry = { 'retry-after': '5' };
    throw new Refused(503, 'project_arrives', 'The project is on its way to here: send the request again.', retry);
  }
  if (!held || (held.state !== 'ending' && held.ended_at === null)) return;
  throw new Refused(410, 'project_left', `The project has moved: send to ${held.peer}, with the same path.`);
}

function deliveryKey(endpoint: Endpoint, { headers, body }: Incoming): DeliveryKey | null {
  const named = deliveryIdOf(endpoint, headers);
  return named && { hash: sha256(named.key), bodyHash: sha256(body) };
}

/**
 * A key of what the sender signed, where the time is signed too: an added header that is not signed then makes no
 * second delivery. Null where the delivery's own key covers that already, or where the sender may well sign the same
 * thing twice.
 */
function signedKey({ verification }: Endpoint, { headers, body }: Incoming, by: Verified | null): DeliveryKey | null {
  if (typeof verification !== 'object' || by === null || by.signedAt === null) return null;
  const bodyHash = sha256(body);
  if (verification.scheme === 'standard-webhooks') {
    const name = (verification.header ?? 'webhook-signature').replace(/signature$/, 'id');
    const replayed = headers['idempotency-key'] !== undefined || name !== 'webhook-id';
    return replayed ? { hash: sha256(`webhook-id:${one(headers[name])}`), bodyHash } : null;
  }
  // Not the signature, which can be written in several ways.
  return { hash: sha256(`signed:${by.signedAt}:${Buffer.from(bodyHash, 'latin1').toString('hex')}`), bodyHash };
}

/** One character per byte. */
function sha256(value: string | Buffer): string {
  return digest('sha256', value, 'binary');
}
