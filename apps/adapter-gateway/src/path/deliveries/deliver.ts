import type { Credentials, DeliverFailure } from '#libs/adapter-sdk';
import { outboundSent, scopeOf, textHash } from '#libs/contracts';
import type { Egress } from '#libs/egress';
import { JobClient, PermanentFailure, RunLater } from '#libs/queue';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { AdapterError } from '../adapters/adapter-answer.js';
import { AdapterReadiness } from '../adapters/adapter-readiness.js';
import { CallSlots } from '../adapters/call-limits.js';
import { AppCredentials, refusedTokenCode, refusesToken } from '../apps/app-credentials.js';
import { canSend, type InstalledAdapter, type InstalledApp, InstalledApps } from '../apps/installed-apps.js';
import type { AppRow } from '../../entities/app.entity.js';
import type { DeliveryRow } from '../../entities/delivery.entity.js';
import { EGRESS, ENGINE, type GatewaySettings, SETTINGS } from '../../env.js';
import { AddressPace } from './address-pace.js';
import { DeliverCalls, refused } from './deliver-call.js';
import {
  type ClaimedDelivery,
  DeliveryPartRepository,
  DeliveryRepository,
  type FormattedText,
} from './delivery.repository.js';
import { AnswerLost, type AttemptResult, isInDoubt, type Made, requireInTime } from './delivery.verdict.js';
import { directDeliver } from './direct-deliver.js';
import { editableOf, fittedContent, NumberedChoices } from './message-features.js';
import { type OutgoingMessage, OutgoingMessages } from './outgoing-messages.js';

const replacedInFlightMs = 500;
const replacedInFlight = 'The message whose place it takes is being sent.';

/** One attempt at a delivery: `/format`, then `/deliver` (spec 4.1), or the DirectAdapter. */
@Injectable()
export class Deliverer {
  private readonly directSlots: CallSlots;

  constructor(
    private readonly installed: InstalledApps,
    private readonly credentials: AppCredentials,
    private readonly readiness: AdapterReadiness,
    private readonly calls: DeliverCalls,
    private readonly pace: AddressPace,
    private readonly deliveries: DeliveryRepository,
    private readonly parts: DeliveryPartRepository,
    private readonly messages: OutgoingMessages,
    private readonly choices: NumberedChoices,
    private readonly jobs: JobClient,
    @Inject(EGRESS) private readonly egress: Egress,
    @Inject(ENGINE) private readonly engine: ServiceClient,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {
    this.directSlots = new CallSlots(settings.ADAPTER_CONCURRENCY);
  }

  /** @param lost aborts when another claim takes over: nothing is sent after that */
  made(delivery: ClaimedDelivery, lost: AbortSignal): Promise<Made> {
    return this.attempt(delivery, lost).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
  }

  /** @throws RunLater while the adapter's circuit is open; Problem when the vault fails; AdapterError before sending */
  private async attempt(delivery: ClaimedDelivery, lost: AbortSignal): Promise<AttemptResult> {
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
    await this.readiness.require(adapter.baseUrl, scopeOf(delivery), this.settings.HEALTH_POLL_MAX_MS);
    const credentials = await this.credentials.forWork(installed);
    const { reason: previous } = delivery;
    const takesPlace = await this.takePlace(delivery, adapter);
    const first = await this.choices.offer(delivery, adapter.manifest);
    const { DELIVERY_ATTACHMENTS_MAX_BYTES: maxBytes } = this.settings;
    const fitted = fittedContent(delivery.content, adapter.manifest, first, maxBytes);
    delivery.content = fitted.content;
    if (fitted.leftOut.length > 0) delivery.left_out = fitted.leftOut;
    await this.fetchFiles(delivery);
    let result: AttemptResult;
    try {
      const message = await this.messages.of(delivery, adapter, credentials);
      result = await this.sendAll(delivery, app, adapter, credentials, message, lost);
      if (takesPlace && isRefusedEdit(result, delivery)) {
        // Somebody has deleted what it was to take the place of, for example.
        const { edit_of: _refused, ...content } = delivery.content;
        delivery.content = content;
        delivery.left_out = [...(delivery.left_out ?? []), 'edit'];
        result = await this.sendAll(delivery, app, adapter, credentials, message, lost);
      }
    } catch (error) {
      await this.settleLookup(installed, credentials, error);
      // Of `/format`: sending gives a refusal as its result.
      if (!(error instanceof AdapterError && error.refusal)) throw error;
      result = refused(error.refusal, '/format', credentials);
    }
    return this.settleRefused(installed, credentials, previous, result);
  }

  /**
   * Makes it an edit of the last message whose place it takes that has arrived where this one goes.
   * @returns whether it is one
   * @throws RunLater while one of them is being sent: else it could arrive last
   */
  private async takePlace(delivery: ClaimedDelivery, { manifest }: InstalledAdapter): Promise<boolean> {
    const { replaces: key, replaces_earlier: earlier = [], target } = delivery.content;
    if (key === undefined) return false;
    const before = await this.deliveries.replace(delivery, [key, ...earlier]);
    const isInFlight = before.some(({ state }) => state === 'sending');
    if (isInFlight) throw new RunLater(replacedInFlightMs, 'replaced_in_flight', replacedInFlight);
    const messageId = before.map((each) => editableOf(each, target, manifest)).find((id) => id !== null);
    if (messageId !== undefined) delivery.content = { ...delivery.content, edit_of: messageId };
    return messageId !== undefined;
  }

  /**
   * The files of an agent's answer are with the engine until an attempt sends them, and stay for the others. Those that the
   * engine has no more are missed where they are read.
   */
  private async fetchFiles({ id, turn_id: turnId, content, ...row }: ClaimedDelivery): Promise<void> {
    if (turnId === null || !content.attachments || (await this.deliveries.hasFiles(id))) return;
    const path = `/internal/turns/${turnId}/replies/${id}/files`;
    const { files } = await this.engine.get<{ files: string[] }>(path, scopeOf(row)).catch((error: unknown) => {
      // Its turn is no longer kept either.
      if (error instanceof Problem && error.code === 'delivery_not_found') return { files: [] };
      throw error;
    });
    await this.deliveries.keepFiles(
      id,
      files.map((file) => Buffer.from(file, 'base64')),
    );
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
    return this.calls.send(delivery, app, adapter, credentials, sending);
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
      const sent = await this.calls.send(delivery, app, adapter, credentials, sending);
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
    const sent = {
      delivery_id: key,
      app_id: app.id,
      project_id: app.project_id,
      sender: null,
      message_ids: messageIds,
    };
    await this.jobs.enqueue(outboundSent, { ...sent, text_hash: textHash(text) });
  }

  /**
   * A provider may refuse an access token before it expires: it was revoked, or the account's password has changed. Such a
   * message was not sent, so it is sent again with another token; a token that is refused right after that is a failure.
   * @param used the credentials of the call
   * @param previous the error of the attempt before this one
   * @returns the result, or a failure to retry at once with the other token
   * @throws CredentialNotReady when a credential is not linked at all
   */
  private async settleRefused(
    installed: InstalledApp,
    used: Credentials,
    previous: string | null,
    result: AttemptResult,
  ): Promise<AttemptResult> {
    if ('unknown' in result || result.ok || result.error !== refusedTokenCode) return result;
    this.credentials.requireLinked(installed);
    if (previous === refusedTokenCode) return result;
    try {
      const replaced = await this.credentials.replaceRefused(installed, used);
      return replaced
        ? retryable(result, 'The access token was refused and is replaced: it is sent again.', 0)
        : result;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.status < 500) return retryable(result, `The access token was refused. ${error.detail}`, 0);
      const pending = retryable(result, `The access token was refused. ${error.detail}`, null);
      // A code of its own: the next refusal asks for another token again.
      return { ...pending, error: 'provider_unavailable' };
    }
  }

  /** A look-up that was refused tells nothing: the next attempt looks again, with another token. */
  private async settleLookup(installed: InstalledApp, used: Credentials, error: unknown): Promise<void> {
    if (!(error instanceof AnswerLost) || !refusesToken(error.cause)) return;
    try {
      await this.credentials.replaceRefused(installed, used);
    } catch (problem) {
      // The next attempt reads the credentials, and waits or asks again.
      if (!(problem instanceof Problem)) throw problem;
    }
  }
}

/** Nothing of the message is there, and another try would be refused again. */
function isRefusedEdit(result: AttemptResult, { from_part: sent }: DeliveryRow): boolean {
  if ('unknown' in result || result.ok || sent > 0 || (result.delivered_parts ?? 0) > 0) return false;
  return result.error_detail?.retryable !== true && result.error !== refusedTokenCode;
}

/** The server that the built-in Webhook app calls. An address that is no URL fails when it is called. */
function originOf({ content }: DeliveryRow): string {
  const address = content.target.channel_address ?? '';
  return URL.canParse(address) ? new URL(address).origin : address;
}

function retryable(result: DeliverFailure, why: string, afterSeconds: number | null): DeliverFailure {
  const { error_detail: detail } = result;
  const message = detail ? `${why} The provider said: ${detail.message}` : why;
  const pause = afterSeconds === null ? {} : { retry_after: afterSeconds };
  return { ...result, error_detail: { ...detail, message, retryable: true, ...pause } };
}
