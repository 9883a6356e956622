import type { DeliverResponse, FormatResult, JsonObject, MessageAttachment } from '#libs/adapter-sdk';
import { deliverFailure } from '#libs/adapter-sdk';
import type { Egress } from '#libs/egress';
import { PermanentFailure } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import { type AdapterCallContext, AdapterClient, egressToken } from '../adapters/adapter-client.js';
import { wrongDelivery, wrongDeliveryDetail, wrongFormat, wrongLookup } from '../adapters/answer-fields.js';
import { AdapterError } from '../adapters/adapter-error.js';
import { CallSlots } from '../adapters/call-slots.js';
import { AppCredentials } from '../apps/app-credentials.js';
import { canSend, type InstalledAdapter, InstalledApps } from '../apps/installed-apps.js';
import { directDeliver } from '../direct/direct-deliver.js';
import type { GatewaySettings } from '../env.js';
import { gatewaySettings } from '../settings.js';
import { originMarker } from '../origins/origin-marker.js';
import { AdapterNotReady } from '../apps/adapter-not-ready.js';
import { AnswerLost, answerLostCode } from './answer-lost.js';
import { AddressPace } from './address-pace.js';
import { deliverAnswer } from './deliver-answer.js';
import type { DeliveryRow } from './delivery.entity.js';
import { DeliveryRepository } from './delivery.repository.js';

/** What one attempt came to. `unknown`: the adapter may have delivered, and nobody can tell; why, for a person. */
export type AttemptResult = DeliverResponse | { unknown: string };

const personDecides =
  'The adapter has no look-up, so nobody can tell whether it arrived: see at the provider, then mark it as delivered or redrive it.';

/** One attempt at a delivery: `/format`, then `/deliver` (spec 4.1), or the DirectAdapter. */
@Injectable()
export class Deliverer {
  private readonly directSlots: CallSlots;

  constructor(
    @Inject(InstalledApps) private readonly installed: InstalledApps,
    @Inject(AppCredentials) private readonly credentials: AppCredentials,
    @Inject(AdapterClient) private readonly adapters: AdapterClient,
    @Inject(AddressPace) private readonly pace: AddressPace,
    @Inject(DeliveryRepository) private readonly deliveries: DeliveryRepository,
    @Inject(egressToken) private readonly egress: Egress,
    @Inject(gatewaySettings) private readonly settings: GatewaySettings,
  ) {
    this.directSlots = new CallSlots(settings.ADAPTER_CONCURRENCY);
  }

  /** @throws RunLater while the adapter's circuit is open; Problem when the vault is away; AdapterError before sending */
  async attempt(delivery: DeliveryRow): Promise<AttemptResult> {
    const installed = await this.installed.get(delivery.app_id);
    if (!installed.adapter) {
      const credentials = await this.credentials.of(installed);
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
    // Long: what waits is woken when the adapter is ready again.
    if (!adapter.ready) throw new AdapterNotReady(adapter, this.settings.HEALTH_POLL_MAX_MS);
    const { target, subject } = delivery.content;
    const address = delivery.moved_to ?? target.channel_address;
    const credentials = await this.credentials.of(installed);
    if (isInDoubt(delivery) && adapter.manifest.message?.lookup) {
      const found = await this.lookUp(delivery, adapter, credentials);
      if (found) return found;
    }
    await this.pace.take(app.id, address ?? '', adapter.manifest);
    const message = await this.format(delivery, adapter);
    const attachments = await this.attachmentsOf(delivery);
    const body = {
      credentials,
      channel_address: address,
      message: {
        text: message.text,
        format: message.format,
        ...(subject ? { subject } : {}),
        ...(target.thread_id ? { thread_id: target.thread_id } : {}),
        ...(target.reply_context ? { reply_context: target.reply_context } : {}),
        ...(attachments.length > 0 ? { attachments } : {}),
      },
      idempotency_key: delivery.id,
      from_part: delivery.from_part,
      origin_marker: originMarker(app, delivery.id),
    };
    const { baseUrl } = adapter;
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
      const result = deliverAnswer(answer, delivery.id);
      const lost = !result.ok && result.error === 'timeout' && result.error_detail?.retryable !== true;
      if (!lost) return result;
      return await this.settle(delivery, adapter, credentials, 'the provider did not answer in time');
    } catch (error) {
      if (!(error instanceof AdapterError) || error.notSent) throw error;
      return this.settle(delivery, adapter, credentials, error.message);
    }
  }

  /** The answer was lost. Ask, where the adapter can tell; send again, where it promises to honour the key. */
  private async settle(
    delivery: DeliveryRow,
    adapter: InstalledAdapter,
    credentials: object,
    reason: string,
  ): Promise<AttemptResult> {
    const { message } = adapter.manifest;
    if (message?.idempotent) return deliverFailure('provider_unavailable', reason);
    if (!message?.lookup) return { unknown: `${reason}. ${personDecides}` };
    const found = await this.lookUp(delivery, adapter, credentials);
    return found ?? deliverFailure('provider_unavailable', reason);
  }

  /** @returns null when the provider does not have it. @throws AnswerLost while the adapter cannot tell either */
  private async lookUp(
    delivery: DeliveryRow,
    { baseUrl }: InstalledAdapter,
    credentials: object,
  ): Promise<DeliverResponse | null> {
    const { channel_address: asked, thread_id: threadId } = delivery.content.target;
    const body = {
      credentials,
      idempotency_key: delivery.id,
      channel_address: delivery.moved_to ?? asked,
      ...(threadId ? { thread_id: threadId } : {}),
    };
    try {
      const answer = await this.adapters.post<{ found: boolean; message_id?: string | number | null }>(
        baseUrl,
        '/deliver/lookup',
        body,
        contextOf(delivery),
        wrongLookup,
      );
      return answer.found ? { ok: true, message_id: String(answer.message_id ?? delivery.id) } : null;
    } catch (error) {
      throw new AnswerLost(error);
    }
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

  private async format(
    delivery: DeliveryRow,
    adapter: InstalledAdapter,
  ): Promise<Pick<FormatResult, 'text' | 'format'>> {
    const { text, format } = delivery.content;
    if (format === 'plain' || format === 'native') return { text, format };
    const mode = adapter.manifest.message?.formats?.includes('markdown') === false ? 'plain' : 'rich';
    return this.adapters.post<FormatResult>(
      adapter.baseUrl,
      '/format',
      { text, mode },
      contextOf(delivery),
      wrongFormat,
    );
  }
}

/** An attempt whose answer was lost, or which ended with its process. */
function isInDoubt({ error, attempts }: DeliveryRow): boolean {
  return error === answerLostCode || (error === null && attempts > 1);
}

/** Whose server the built-in Webhook app calls; what is no URL fails by itself. */
function originOf({ content }: DeliveryRow): string {
  const address = content.target.channel_address ?? '';
  return URL.canParse(address) ? new URL(address).origin : address;
}

function contextOf({ organization_id: organizationId, project_id: projectId }: DeliveryRow): AdapterCallContext {
  return { organizationId, projectId };
}
