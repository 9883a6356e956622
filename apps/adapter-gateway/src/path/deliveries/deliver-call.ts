import {
  type AttachedFile,
  attachedFiles,
  type Credentials,
  DELIVER_ERRORS,
  type DeliverErrorDetail,
  deliverErrorOfStatus,
  type DeliverFailure,
  deliverFailure,
  type DeliverResponse,
  isJsonObject,
  type JsonObject,
  type MessageAction,
  type MessageAttachment,
  redactSecrets,
  wholeNumberAsText,
} from '#libs/adapter-sdk';
import { type ProjectScope, scopeOf } from '#libs/contracts';
import { originMarker } from '#libs/direct-app';
import { RunLater } from '#libs/queue';
import { Injectable } from '@nestjs/common';
import { AdapterError, type FailedAnswer } from '../adapters/adapter-answer.js';
import { AdapterClient } from '../adapters/adapter-client.js';
import { wrongDelivery, wrongDeliveryDetail, wrongLookup } from '../adapters/answer-fields.js';
import type { InstalledAdapter } from '../apps/installed-apps.js';
import type { AppRow } from '../../entities/app.entity.js';
import type { DeliveryRow } from '../../entities/delivery.entity.js';
import { AddressPace } from './address-pace.js';
import { type ClaimedDelivery, DeliveryRepository, type FormattedText } from './delivery.repository.js';
import { AnswerLost, type AttemptResult, requireInTime } from './delivery.verdict.js';
import { featureFields } from './message-features.js';

/** What one call sends. */
interface Sending {
  message: FormattedText;
  /** The delivery's id, or a part's own key: the same in every attempt. */
  key: string;
  fromPart: number;
  /** The first part of the message has its files, and is the edit. */
  isFirst: boolean;
  isLast: boolean;
  /** An earlier attempt may have sent it. */
  inDoubt: boolean;
  /** Aborts when another claim has the delivery. */
  lost: AbortSignal;
}

/** Keeps messages of channels whose manifest says `message.mailbox`. The web chat does (docs/decisions/0183). */
export abstract class VisitorMailbox {
  /** Resolves once it is stored; storing it again changes nothing. */
  abstract keepAnswer(message: KeptMessage): Promise<void>;
}

const personDecides =
  'The adapter has no look-up, so nobody can tell whether it arrived: see at the provider, then mark it as delivered or redrive it.';

/** The other claim has a lease; its outcome is recorded long before that ends. */
const takenOverMs = 1_000;

/** One call of `/deliver` (spec 4.1), and what is known of a message whose answer is lost (docs/decisions/0009). */
@Injectable()
export class DeliverCalls {
  constructor(
    private readonly adapters: AdapterClient,
    private readonly pace: AddressPace,
    private readonly deliveries: DeliveryRepository,
    private readonly mailbox: VisitorMailbox,
  ) {}

  async send(
    delivery: ClaimedDelivery,
    app: AppRow,
    adapter: InstalledAdapter,
    credentials: Credentials,
    sending: Sending,
  ): Promise<AttemptResult> {
    const { target, subject } = delivery.content;
    const { message, key, inDoubt } = sending;
    const address = delivery.moved_to ?? target.channel_address;
    const { lookup, idempotent } = adapter.manifest.message ?? {};
    if (inDoubt && lookup) {
      const found = await this.lookUp({ delivery, key, adapter, credentials });
      if (found) return found;
      requireInTime(delivery, true);
    } else if (inDoubt && !idempotent) {
      return { unknown: `The process that sent it ended before the answer came. ${personDecides}` };
    }
    requireInTime(delivery);
    const { project_id: projectId } = delivery;
    await this.pace.take({ appId: app.id, projectId, address: address ?? '', manifest: adapter.manifest });
    const attachments = sending.isFirst ? await this.deliveries.attachmentsOf(delivery) : [];
    const body = {
      credentials,
      channel_address: address,
      message: {
        text: message.text,
        format: message.format,
        ...(subject ? { subject } : {}),
        thread_id: target.thread_id ?? '',
        ...(target.reply_context ? { reply_context: target.reply_context } : {}),
        ...(attachments.length > 0 ? { attachments } : {}),
        ...featureFields(delivery.content, sending),
      },
      idempotency_key: key,
      from_part: sending.fromPart,
      origin_marker: originMarker(app, delivery.id),
    };
    const { baseUrl } = adapter;
    const sent = { delivery, key, adapter, credentials };
    sending.lost.throwIfAborted();
    if (!idempotent && !(await this.deliveries.markSending(delivery))) {
      throw new RunLater(takenOverMs, 'taken_over', 'another process has taken the delivery over');
    }
    try {
      const answer = await this.adapters.post<JsonObject>(baseUrl, '/deliver', body, scopeOf(delivery), wrongDelivery);
      const aside = wrongDeliveryDetail(answer);
      if (aside) this.adapters.showViolation(baseUrl, `/deliver: ${aside}`);
      const result = deliverAnswer(answer, key);
      if (result.ok && adapter.manifest.message?.mailbox) {
        await this.keep(delivery, sending, address ?? '', attachments);
      }
      const lost = !result.ok && result.error === 'timeout' && result.error_detail?.retryable !== true;
      if (!lost) return result;
      return await this.settleLost(sent, 'the provider did not answer in time');
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      if (error.refusal) return refused(error.refusal, '/deliver', credentials);
      if (error.notSent) throw error;
      return error.code === 'contract_violation'
        ? this.settleViolation(sent, error.message)
        : this.settleLost(sent, error.message);
    }
  }

  /** No provider has it: it is delivered once it is stored for the visitor's page. A repetition has the same key. */
  private async keep(
    delivery: DeliveryRow,
    { message, key, isLast }: Sending,
    visitor: string,
    attachments: MessageAttachment[],
  ): Promise<void> {
    const files = attachedFiles({ message: { text: message.text, attachments } });
    await this.mailbox.keepAnswer({
      appId: delivery.app_id,
      ...scopeOf(delivery),
      receiptId: delivery.receipt_id,
      visitor,
      id: key,
      text: message.text,
      format: message.format === 'markdown' ? 'markdown' : 'plain',
      actions: isLast ? (delivery.content.actions ?? null) : null,
      files: Array.isArray(files) ? files : [],
    });
  }

  /** The answer was lost. Looks the message up where the adapter can; retries where it promises to honour the key. */
  private async settleLost(sent: SentMessage, reason: string): Promise<AttemptResult> {
    const { message } = sent.adapter.manifest;
    if (message?.idempotent) return deliverFailure('provider_unavailable', reason);
    if (!message?.lookup) return { unknown: `${reason}. ${personDecides}` };
    const found = await this.lookUp(sent);
    return found ?? deliverFailure('provider_unavailable', reason);
  }

  /**
   * The answer breaks the contract, so it does not tell whether the message arrived. It is never sent again on its own,
   * whatever the adapter promises: the next answer would be no better.
   * @throws AdapterError `contract_violation` when the provider does not have it
   */
  private async settleViolation(sent: SentMessage, violation: string): Promise<AttemptResult> {
    const broken = `The adapter broke the contract: ${violation}.`;
    if (!sent.adapter.manifest.message?.lookup) return { unknown: `${broken} ${personDecides}`, violation: true };
    const found = await this.lookUp(sent);
    if (found) return found;
    const missing = `${broken} Its look-up says that the message did not arrive: fix the adapter, then redrive it.`;
    throw new AdapterError('contract_violation', missing, true);
  }

  /** @returns null when the provider does not have it. @throws AnswerLost while the adapter cannot tell either */
  private async lookUp({ delivery, key, adapter, credentials }: SentMessage): Promise<DeliverResponse | null> {
    const { channel_address: asked, thread_id: threadId } = delivery.content.target;
    const body = {
      credentials,
      idempotency_key: key,
      channel_address: delivery.moved_to ?? asked,
      ...(threadId ? { thread_id: threadId } : {}),
    };
    try {
      const answer = await this.adapters.post<{ found: boolean; message_id?: string | number | null }>(
        adapter.baseUrl,
        '/deliver/lookup',
        body,
        scopeOf(delivery),
        wrongLookup,
      );
      return answer.found ? { ok: true, message_id: String(wholeNumberAsText(answer.message_id ?? key)) } : null;
    } catch (error) {
      throw new AnswerLost(error);
    }
  }
}

/** A message that was sent, or a part of one. */
interface SentMessage {
  delivery: DeliveryRow;
  /** Its idempotency key. */
  key: string;
  adapter: InstalledAdapter;
  credentials: Credentials;
}

/** What a provider would get, for channels that have none: the gateway keeps it for whoever reads it here. */
export interface KeptMessage extends ProjectScope {
  appId: string;
  receiptId: string;
  visitor: string;
  id: string;
  text: string;
  format: 'markdown' | 'plain';
  actions: MessageAction[] | null;
  files: AttachedFile[];
}

const maxText = 500;

/**
 * Reads an answer of `/deliver`. The contract does not specify its body (spec 4.1): a JSON object is a failure if `ok`
 * is false, or if it has an `error` and no `ok`; null is missing. Any other object is a delivery.
 * @param deliveryId the message id when the adapter gives none
 */
export function deliverAnswer(answer: JsonObject, deliveryId: string): DeliverResponse {
  const { ok, error, message_id: messageId } = answer;
  const failed = ok === false || (!isGiven(ok) && isGiven(error));
  if (failed) return failureOf(answer);
  return { ok: true, message_id: text(wholeNumberAsText(messageId)) ?? deliveryId };
}

/** A refusal by status, without the secrets that it may quote. */
export function refused(answer: FailedAnswer, path: string, credentials: Credentials): DeliverFailure {
  const failure = deliverRefusal(answer, path);
  const { error_detail: detail } = failure;
  return detail
    ? { ...failure, error_detail: { ...detail, message: redactSecrets(detail.message, credentials) } }
    : failure;
}

/**
 * Reads a 4xx of `/format` or `/deliver` that a retry would give again. A body that is a failure of the contract says
 * more than the status does; any other one only adds its words.
 */
export function deliverRefusal({ status, body, words: answerWords }: FailedAnswer, path: string): DeliverFailure {
  const given = body ?? {};
  const failure = failureOf(given);
  const detail = isJsonObject(given['error_detail']) ? given['error_detail'] : {};
  const words = text(detail['message']) ?? answerWords;
  const message = `${path} answered ${status}${words === null ? '' : `: ${words}`}`.slice(0, maxText);
  const known = DELIVER_ERRORS.some((code) => code === given['error']);
  const { error, error_detail } = known
    ? failure
    : deliverFailure(deliverErrorOfStatus(status), message, detailOf(detail));
  return { ...failure, error, error_detail: { retryable: false, ...error_detail, message, provider_status: status } };
}

function failureOf({ error, error_detail: given, delivered_parts: parts }: JsonObject): DeliverFailure {
  const code = DELIVER_ERRORS.find((known) => known === error);
  const detail = isJsonObject(given) ? given : {};
  const message = text(detail['message']) ?? text(error) ?? 'the adapter does not say why';
  return {
    ...deliverFailure(code ?? 'invalid_request', message, detailOf(detail)),
    ...(isCount(parts) ? { delivered_parts: Math.floor(parts) } : {}),
  };
}

function detailOf({
  retryable,
  retry_after: seconds,
  channel_address: moved,
}: JsonObject): Partial<DeliverErrorDetail> {
  const address = text(wholeNumberAsText(moved));
  return {
    ...(address === null ? {} : { channel_address: address }),
    ...(typeof retryable === 'boolean' ? { retryable } : {}),
    ...(isCount(seconds) ? { retry_after: seconds } : {}),
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** A text that Postgres takes: cut, and without U+0000. */
function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.replaceAll('\0', '').slice(0, maxText) : null;
}
