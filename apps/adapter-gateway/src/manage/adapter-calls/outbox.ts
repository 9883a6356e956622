import { offersFeature, readActions } from '#libs/adapter-sdk';
import { type AttachmentHead, newId, type OutboundContent } from '#libs/contracts';
import { Journal } from '#libs/journal';
import { sanitizeOwnWords } from '#libs/sanitizer';
import { type Principal, Problem, type FieldError } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { createHash } from 'node:crypto';
import { AppService } from '../apps/app.service.js';
import { type InstalledApp, InstalledApps } from '../../path/apps/installed-apps.js';
import { DeliveryService } from '../../path/deliveries/delivery.service.js';
import type { DeliveryRow } from '../../entities/delivery.entity.js';
import { DeliveryRepository } from '../../path/deliveries/delivery.repository.js';
import { ManagedDeliveryRepository } from '../deliveries/managed-delivery.repository.js';
import { type GatewaySettings, SETTINGS } from '../../env.js';
import type { DeliverCall, OutgoingAction, OutgoingAttachment } from './adapter-call.dto.js';

/** State of a delivery. `queued` and `sending` continue on their own: ask again under the same key for the result. */
export interface OutboxAnswer {
  delivery_id: string;
  state: DeliveryRow['state'];
  message_id: string | null;
  /** Parts of the message that the provider has. */
  delivered_parts: number;
  error: string | null;
  error_detail: string | null;
}

interface ReadAttachments {
  heads: AttachmentHead[];
  contents: Buffer[];
}

/** Deliveries that services request by call: committed under the caller's key, then handled like every other one. */
@Injectable()
export class Outbox {
  constructor(
    private readonly apps: AppService,
    private readonly managed: ManagedDeliveryRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly sender: DeliveryService,
    private readonly journal: Journal,
    private readonly installed: InstalledApps,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  /** @throws Problem 404 `app_not_found`, 422 `idempotency_key_reused`, those of `readAttachments` */
  async deliver(caller: Principal, call: DeliverCall): Promise<OutboxAnswer> {
    const app = await this.apps.get(caller, call.app_id);
    const id = newId('dlv');
    const given = call.message.attachments ?? [];
    const files = readAttachments(
      given,
      await this.installed.get(app.id),
      this.settings.DELIVERY_ATTACHMENTS_MAX_BYTES,
    );
    requireActions(call.message.actions ?? []);
    const content = contentOf(call, files.heads);
    const row = await this.managed.commit(
      {
        id,
        organization_id: app.organization_id,
        project_id: app.project_id,
        app_id: app.id,
        receipt_id: call.receipt_id ?? id,
        content,
      },
      call.idempotency_key,
      files.contents,
    );
    const { replaced: _replaced, ...asked } = row.content;
    if (!isDeepStrictEqual(asked, JSON.parse(JSON.stringify(content)))) {
      throw new Problem(422, 'idempotency_key_reused', 'This key was already used for another message: use a new key.');
    }
    if (row.id === id && content.text !== call.message.text) this.noteCleaned(row);
    const { id: delivery_id, organization_id, project_id, receipt_id, turn_id } = row;
    await this.sender.sendNow({ delivery_id, organization_id, project_id, receipt_id, turn_id });
    const after = (await this.deliveries.byId(row.id)) ?? row;
    return {
      delivery_id: after.id,
      state: after.state,
      message_id: after.provider_message_id,
      delivered_parts: after.from_part,
      error: after.reason,
      error_detail: after.error_detail,
    };
  }

  private noteCleaned(row: DeliveryRow): void {
    this.journal.append({
      receipt_id: row.receipt_id,
      organization_id: row.organization_id,
      project_id: row.project_id,
      app_id: row.app_id,
      stage: 'delivery',
      outcome: 'running',
      reason: 'reply_cleaned',
      subject_id: row.id,
      attempt: row.tries,
      detail: { text: 'Control characters were removed from the text before it was sent.' },
    });
  }
}

/**
 * Texts of people and services stay as they are: only control characters are removed, and nothing in a native format.
 */
function cleaned(text: string, format: OutboundContent['format']): string {
  return format === 'native' ? text : sanitizeOwnWords(text).text;
}

function contentOf(
  { app_id, channel_address, by_channel, message, ttl_seconds: ttl }: DeliverCall,
  attachments: AttachmentHead[],
): OutboundContent {
  const {
    text,
    thread_id = null,
    format,
    subject,
    reply_context = null,
    edit_of,
    replaces,
    actions,
    actions_for,
    reaction,
  } = message;
  return {
    text: cleaned(text, format),
    ...(format ? { format } : {}),
    ...(subject ? { subject: cleaned(subject, format) } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(edit_of ? { edit_of } : {}),
    ...(replaces ? { replaces } : {}),
    ...(actions && actions.length > 0 ? { actions: actions.map((action) => ({ ...action })) } : {}),
    ...(actions_for ? { actions_for } : {}),
    ...(reaction ? { reaction: { ...reaction } } : {}),
    target: {
      app_id,
      channel_address,
      ...(by_channel ? { by_channel } : {}),
      thread_id,
      reply_context,
      ...(ttl === undefined ? {} : { ttl_seconds: ttl }),
    },
  };
}

/**
 * Reads the files of a message that a service wants delivered; refuses at once what could not arrive.
 * @throws Problem 422 `attachments_unsupported | attachments_too_large | invalid_fields`
 */
function readAttachments(
  given: OutgoingAttachment[],
  { app, adapter }: InstalledApp,
  maxBytes: number,
): ReadAttachments {
  if (given.length === 0) return { heads: [], contents: [] };
  if (!adapter || !offersFeature(adapter.manifest, 'files')) {
    throw new Problem(422, 'attachments_unsupported', `${app.name} cannot send files: remove them.`);
  }
  const contents = given.map(({ content_base64: content }, index) => bytesOf(content, index));
  const total = contents.reduce((sum, { length }) => sum + length, 0);
  const most = Math.min(maxBytes, adapter.manifest.message?.max_attachment_bytes ?? maxBytes);
  if (total > most) {
    const detail = `The files have ${total} bytes in total; ${app.name} accepts at most ${most} per message.`;
    throw new Problem(422, 'attachments_too_large', detail);
  }
  return {
    contents,
    heads: given.map(({ name, content_type: type }, index) => ({
      name,
      content_type: type ?? 'application/octet-stream',
      size: contents[index]?.length ?? 0,
      sha256: createHash('sha256')
        .update(contents[index] ?? '')
        .digest('hex'),
    })),
  };
}

/** @throws Problem 422 `invalid_fields` */
function requireActions(actions: readonly OutgoingAction[]): void {
  const read = readActions(actions);
  if (typeof read !== 'string') return;
  const [, place = '', words = read] = /^(\[\d+\]\.\w+) (.*)$/.exec(read) ?? [];
  throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', [
    { field: `message.actions${place.replace(/^\[(\d+)\]/, '.$1')}`, message: words },
  ]);
}

function bytesOf(content: string, index: number): Buffer {
  const bytes = Buffer.from(content, 'base64');
  if (bytes.toString('base64') === content) return bytes;
  const wrong: FieldError = { field: `message.attachments.${index}.content_base64`, message: 'must be base64' };
  throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', [wrong]);
}
