import type { Credentials, FormatResult, MessageFormat } from '#libs/adapter-sdk';
import { Journal } from '#libs/journal';
import { Inject, Injectable } from '@nestjs/common';
import { type AdapterCallContext, AdapterClient } from '../adapters/adapter-client.js';
import { wrongFormat } from '../adapters/answer-fields.js';
import type { GatewaySettings } from '../env.js';
import { SETTINGS } from '../settings.js';
import type { DeliveryRow } from '../entities/delivery.entity.js';
import { DeliveryPartRepository } from './delivery-part.repository.js';
import { cutToParts, type FormattedText, splitMessage } from './split-message.js';
import type { InstalledAdapter } from '../apps/capabilities.js';

/** What `/deliver` gets: one text, or parts that the gateway sends one by one. */
export type OutgoingMessage = { whole: FormattedText } | { parts: FormattedText[] };

type Formatted = FormattedText & { parts: number };

/** Renders deliveries with `/format`, and splits what is over `message.max_length` where the adapter does not. */
@Injectable()
export class OutgoingMessages {
  constructor(
    private readonly adapters: AdapterClient,
    private readonly rows: DeliveryPartRepository,
    private readonly journal: Journal,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  /** Gives the same at every attempt: parts are stored before the first one is sent. */
  async of(delivery: DeliveryRow, adapter: InstalledAdapter, credentials: Credentials): Promise<OutgoingMessage> {
    if (delivery.parts !== null) return { parts: await this.rows.of(delivery.id) };
    const { text, format: given } = delivery.content;
    const format = (piece: string): Promise<Formatted> => this.format(delivery, adapter, credentials, piece);
    const formatted = await format(text);
    const { DELIVERY_MAX_PARTS: maxParts } = this.settings;
    if (formatted.parts > maxParts) {
      const cut = await cutToParts(text, formatted.parts, maxParts, async (shorter) => (await format(shorter)).parts);
      await this.keep(delivery, [], cut.cutChars);
      return { whole: await format(cut.text) };
    }
    const maxLength = lengthOf(adapter);
    const fits = maxLength === null || formatted.text.length <= maxLength;
    // What is given in the provider's own markup cannot be cut safely; what `/format` makes of Markdown can.
    if (fits || formatted.parts > 0 || given === 'native') return { whole: formatted };
    const { parts, cutChars } = await splitMessage(text, { maxLength, maxParts }, format);
    await this.keep(delivery, parts, cutChars);
    return { parts };
  }

  private async keep(delivery: DeliveryRow, parts: FormattedText[], cutChars: number): Promise<void> {
    const isNew = delivery.cut_chars !== cutChars;
    await this.rows.keep(delivery.id, parts, cutChars);
    delivery.parts = parts.length === 0 ? null : parts.length;
    delivery.cut_chars = cutChars;
    if (!isNew) return;
    const text = `The answer has more than DELIVERY_MAX_PARTS (${this.settings.DELIVERY_MAX_PARTS}) parts: its end is cut, and the last part says so.`;
    this.journal.append({
      receipt_id: delivery.receipt_id,
      organization_id: delivery.organization_id,
      project_id: delivery.project_id,
      app_id: delivery.app_id,
      stage: 'delivery',
      outcome: 'running',
      reason: 'reply_cut',
      subject_id: delivery.id,
      attempt: delivery.claims ?? delivery.attempts,
      detail: { cut_chars: cutChars, text },
    });
  }

  /** @returns `parts` 0 where the adapter names none */
  private async format(
    { content, ...delivery }: DeliveryRow,
    adapter: InstalledAdapter,
    credentials: Credentials,
    text: string,
  ): Promise<Formatted> {
    const { format: given } = content;
    if (given === 'plain' || given === 'native') return { text, format: given, parts: 0 };
    const mode = adapter.manifest.message?.formats?.includes('markdown') === false ? 'plain' : 'rich';
    const context: AdapterCallContext = { organizationId: delivery.organization_id, projectId: delivery.project_id };
    const answer = await this.adapters.post<{
      text: string;
      format: MessageFormat;
      parts?: FormatResult['parts'] | null;
    }>(adapter.baseUrl, '/format', { credentials, text, mode }, context, wrongFormat);
    return { text: answer.text, format: answer.format, parts: answer.parts?.length ?? 0 };
  }
}

function lengthOf({ manifest }: InstalledAdapter): number | null {
  const declared: unknown = manifest.message?.max_length;
  return typeof declared === 'number' && declared >= 1 ? Math.floor(declared) : null;
}
