import {
  type Credentials,
  type DeliverFailure,
  type JsonObject,
  type MessageAttachment,
  redactSecrets,
} from '#libs/adapter-sdk';
import type { Egress } from '#libs/egress';
import { outboundSent, textHash } from '#libs/contracts';
import { JobClient, PermanentFailure, RunLater } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import { AdapterClient } from '../adapters/adapter-client.js';
import { wrongDelivery, wrongDeliveryDetail } from '../adapters/answer-fields.js';
import { AdapterError, type FailedAnswer } from '../adapters/adapter-answer.js';
import { CallSlots } from '../adapters/call-limits.js';
import { canSend, type InstalledAdapter, InstalledApps } from '../apps/installed-apps.js';
import { EGRESS, SETTINGS } from '../tokens.js';
import { AdapterReadiness } from '../adapters/adapter-readiness.js';
import type { AppRow } from '../entities/app.entity.js';
import { AppCredentials } from '../apps/app-credentials.js';
import { directDeliver } from '../direct/direct-deliver.js';
import type { GatewaySettings } from '../env.js';
import { originMarker } from '#libs/direct-app';
import { AddressPace } from './address-pace.js';
import { deliverAnswer, deliverRefusal } from './deliver-answer.js';
import type { DeliveryRow } from '../entities/delivery.entity.js';
import {
  type ClaimedDelivery,
  DeliveryPartRepository,
  DeliveryRepository,
  type FormattedText,
} from './delivery.repository.js';
import { answerLostCode, type AttemptResult, contextOf, LostAnswers, personDecides } from './lost-answers.js';
import { requireInTime } from './delivery.verdict.js';
import { featureFields, fittedContent } from './message-features.js';
import { NumberedChoices } from './numbered-choices.js';
import { type OutgoingMessage, OutgoingMessages } from './outgoing-messages.js';
import { RefusedTokens } from './refused-token.js';
import { Mailbox } from '../web-chat/mailbox.js';

/** The other claim has a lease; its outcome is recorded long before that ends. */
const takenOverMs = 1_000;

/** One call of `/deliver`. */
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

/** One attempt at a delivery: `/format`, then `/deliver` (spec 4.1), or the DirectAdapter. */
@Injectable()
export class Deliverer {
  private readonly directSlots: CallSlots;

  constructor(
    private readonly installed: InstalledApps,
    private readonly credentials: AppCredentials,
    private readonly adapters: AdapterClient,
    private readonly readiness: AdapterReadiness,
    private readonly lost: LostAnswers,
    private readonly pace: AddressPace,
    private readonly deliveries: DeliveryRepository,
    private readonly parts: DeliveryPartRepository,
    private readonly messages: OutgoingMessages,
    private readonly choices: NumberedChoices,
    private readonly refusedTokens: RefusedTokens,
    private readonly mailbox: Mailbox,
    private readonly jobs: JobClient,
    @Inject(EGRESS) private readonly egress: Egress,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {
    this.directSlots = new CallSlots(settings.ADAPTER_CONCURRENCY);
  }

  /**
   * @param lost aborts when another claim takes over: nothing is sent after that
   * @throws RunLater while the adapter's circuit is open; Problem when the vault fails; AdapterError before sending
   */
  async attempt(delivery: ClaimedDelivery, lost: AbortSignal): Promise<AttemptResult> {
    if (!isInDoubt(delivery)) requireInTime(delivery);
    const installed = await this.installed.get(delivery.app_id);
    await this.readdress(delivery, installed.app);
    if (!installed.adapter) {
      const credentials = await this.credentials.forWork(installed);
      const { app_id: appId, project_id: projectId, content } = delivery;
      const address = content.target.channel_address ?? '';
      await this.pace.take({ appId, projectId, address, manifest: null });
      return this.directSlots.run(originOf(delivery), () =>
        directDeliver(this.egress, installed.app, credentials, delivery, this.settings.DELIVERY_TIMEOUT_MS),
      );
    }
    const { app, adapter } = installed;
    if (!canSend(installed)) {
      const withdrawn = app.capabilities.includes('send');
      throw new PermanentFailure(
        withdrawn ? 'send_withdrawn' : 'send_not_installed',
        withdrawn
          ? `the manifest in force of ${adapter.manifest.slug} offers send no more: put one in force that does, then redrive`
          : `the App ${app.id} was installed without send: add the capability to it, then redrive`,
      );
    }
    // A long wait: deliveries are expedited when the adapter is ready again.
    await this.readiness.require(adapter.baseUrl, contextOf(delivery), this.settings.HEALTH_POLL_MAX_MS);
    const credentials = await this.credentials.forWork(installed);
    const { reason: previous } = delivery;
    const first = await this.choices.offer(delivery, adapter.manifest);
    const fitted = fittedContent(delivery.content, adapter.manifest, first);
    delivery.content = fitted.content;
    if (fitted.leftOut.length > 0) delivery.left_out = fitted.leftOut;
    let result: AttemptResult;
    try {
      const message = await this.messages.of(delivery, adapter, credentials);
      result = await this.sendAll(delivery, app, adapter, credentials, message, lost);
    } catch (error) {
      await this.refusedTokens.settleLookup(installed, credentials, error);
      // Of `/format`: sending gives a refusal as its result.
      if (!(error instanceof AdapterError && error.refusal)) throw error;
      result = refused(error.refusal, '/format', credentials);
    }
    return this.refusedTokens.settle(installed, credentials, previous, result);
  }

  /**
   * A channel's own address is the one of now, also for what died at an earlier one. What may have arrived stays with
   * whoever may have it.
   */
  private async readdress(delivery: ClaimedDelivery, app: AppRow): Promise<void> {
    const { target } = delivery.content;
    if (!target.by_channel || isInDoubt(delivery)) return;
    if (!app.has_reply_address) {
      const why = "the App's channel has no reply_address any more: set one, then redrive";
      throw new PermanentFailure('no_reply_address', why);
    }
    const { reply_address: address } = app;
    if (address === null || address === target.channel_address) return;
    delivery.content = { ...delivery.content, target: { ...target, channel_address: address } };
    delivery.moved_to = null;
    await this.deliveries.readdress(delivery.id, address);
  }

  private sendAll(
    delivery: ClaimedDelivery,
    app: AppRow,
    adapter: InstalledAdapter,
    credentials: Credentials,
    message: OutgoingMessage,
    lost: AbortSignal,
  ): Promise<AttemptResult> {
    if ('parts' in message) return this.sendParts(delivery, app, adapter, credentials, message.parts, lost);
    const sending = {
      message: message.whole,
      key: delivery.id,
      fromPart: delivery.from_part,
      isFirst: true,
      isLast: true,
      inDoubt: isInDoubt(delivery),
      lost,
    };
    return this.send(delivery, app, adapter, credentials, sending);
  }

  /**
   * Sends the remaining parts in order, up to the first that fails. Each part is a message of its own with its own key.
   * Progress is committed before the next part is sent, so a later attempt repeats at most one part, under the same
   * key.
   */
  private async sendParts(
    delivery: ClaimedDelivery,
    app: AppRow,
    adapter: InstalledAdapter,
    credentials: Credentials,
    parts: FormattedText[],
    lost: AbortSignal,
  ): Promise<AttemptResult> {
    let firstId = delivery.provider_message_id;
    let inDoubt = isInDoubt(delivery);
    for (const [index, message] of parts.entries()) {
      if (index < delivery.from_part) continue;
      const key = `${delivery.id}/${index + 1}`;
      const [isFirst, isLast] = [index === 0, index === parts.length - 1];
      const sending = { message, key, fromPart: 0, isFirst, isLast, inDoubt, lost };
      const sent = await this.send(delivery, app, adapter, credentials, sending);
      const which = `part ${index + 1} of ${parts.length}`;
      if (!('unknown' in sent) && !sent.ok) {
        const detail = sent.error_detail ?? { message: sent.error, retryable: false };
        return { ...sent, delivered_parts: index, error_detail: { ...detail, message: `${which}: ${detail.message}` } };
      }
      await this.noteSent(app, key, message.text, 'unknown' in sent ? [] : [sent.message_id]);
      if ('unknown' in sent) return { ...sent, unknown: `${which}: ${sent.unknown}` };
      firstId ??= sent.message_id;
      delivery.from_part = index + 1;
      delivery.reason = null;
      delivery.blocked_since = null;
      inDoubt = false;
      if (index + 1 < parts.length) await this.parts.advance(delivery.id, index + 1, firstId);
    }
    return { ok: true, message_id: firstId ?? delivery.id };
  }

  /** Lets the echo of a part be recognised. The reply as a whole is noted when all of it is sent. */
  private async noteSent(app: AppRow, key: string, text: string, messageIds: string[]): Promise<void> {
    const sent = { delivery_id: key, app_id: app.id, sender: null, message_ids: messageIds };
    await this.jobs.enqueue(outboundSent, { ...sent, text_hash: textHash(text) });
  }

  private async send(
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
      const found = await this.lost.lookUp({ delivery, key, adapter, credentials });
      if (found) return found;
      requireInTime(delivery, true);
    } else if (inDoubt && !idempotent) {
      return { unknown: `The process that sent it ended before the answer came. ${personDecides}` };
    }
    requireInTime(delivery);
    const { project_id: projectId } = delivery;
    await this.pace.take({ appId: app.id, projectId, address: address ?? '', manifest: adapter.manifest });
    const attachments = sending.isFirst ? await this.attachmentsOf(delivery) : [];
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
      const answer = await this.adapters.post<JsonObject>(
        baseUrl,
        '/deliver',
        body,
        contextOf(delivery),
        wrongDelivery,
      );
      const aside = wrongDeliveryDetail(answer);
      if (aside) this.adapters.showViolation(baseUrl, `/deliver: ${aside}`);
      const result = deliverAnswer(answer, key);
      if (result.ok && adapter.manifest.message?.mailbox) await this.keep(delivery, sending, address ?? '');
      const lost = !result.ok && result.error === 'timeout' && result.error_detail?.retryable !== true;
      if (!lost) return result;
      return await this.lost.settle(sent, 'the provider did not answer in time');
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      if (error.refusal) return refused(error.refusal, '/deliver', credentials);
      if (error.notSent) throw error;
      return error.code === 'contract_violation'
        ? this.lost.settleViolation(sent, error.message)
        : this.lost.settle(sent, error.message);
    }
  }

  /** No provider has it: it is delivered once it is stored for the visitor's page. A repetition has the same key. */
  private async keep(delivery: DeliveryRow, { message, key, isLast }: Sending, visitor: string): Promise<void> {
    await this.mailbox.keep({
      appId: delivery.app_id,
      organizationId: delivery.organization_id,
      projectId: delivery.project_id,
      visitor,
      author: 'agent',
      id: key,
      text: message.text,
      format: message.format === 'markdown' ? 'markdown' : 'plain',
      actions: isLast ? (delivery.content.actions ?? null) : null,
    });
  }

  private async attachmentsOf({ id, content }: DeliveryRow): Promise<MessageAttachment[]> {
    const heads = content.attachments ?? [];
    if (heads.length === 0) return [];
    const contents = await this.deliveries.contentsOf(id);
    return heads.map(({ name, content_type, size }, index) => {
      const content_base64 = contents[index]?.toString('base64') ?? '';
      return { id: String(index + 1), name, content_type, size, content_base64 };
    });
  }
}

/** A refusal by status, without the secrets that it may quote. */
function refused(answer: FailedAnswer, path: string, credentials: Credentials): DeliverFailure {
  const failure = deliverRefusal(answer, path);
  const { error_detail: detail } = failure;
  return detail
    ? { ...failure, error_detail: { ...detail, message: redactSecrets(detail.message, credentials) } }
    : failure;
}

/** Whether an earlier attempt may have sent it: its answer was lost, or its process died before the answer came. */
const isInDoubt = ({ reason }: DeliveryRow): boolean => reason === answerLostCode;

/** The server that the built-in Webhook app calls. An address that is no URL fails when it is called. */
function originOf({ content }: DeliveryRow): string {
  const address = content.target.channel_address ?? '';
  return URL.canParse(address) ? new URL(address).origin : address;
}
