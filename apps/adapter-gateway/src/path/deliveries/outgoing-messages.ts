import { type Credentials, type FormatResult, type MessageFormat, firstPart, splitText } from '#libs/adapter-sdk';
import { type ProjectScope, scopeOf } from '#libs/contracts';
import { Journal } from '#libs/journal';
import { Inject, Injectable } from '@nestjs/common';
import { AdapterClient } from '../adapters/adapter-client.js';
import { wrongFormat } from '../adapters/answer-fields.js';
import { type GatewaySettings, SETTINGS } from '../../env.js';
import type { InstalledAdapter } from '../apps/installed-apps.js';
import type { DeliveryRow } from '../../entities/delivery.entity.js';
import { DeliveryPartRepository, type FormattedText } from './delivery.repository.js';

export interface SplitLimits {
  /** UTF-16 units of a part, as it is sent. */
  maxLength: number;
  maxParts: number;
}

/** Note at the end of a text that was cut. */
const cutNote = (chars: number): string => `\n\n[cut: ${chars} characters are missing]`;
const longestNote = cutNote(1_000_000_000).length;

/**
 * Splits a message into parts that each render on their own. The agent's text is split, never its rendering, so that no
 * markup is broken. The same text and the same rendering give the same parts.
 * @returns `cutChars` of the text that exceed `maxParts`; a note at the end of the last part says so
 */
export async function splitMessage(
  text: string,
  { maxLength, maxParts }: SplitLimits,
  format: (piece: string) => Promise<FormattedText>,
): Promise<{ parts: FormattedText[]; cutChars: number }> {
  const parts: { piece: string; formatted: FormattedText }[] = [];
  const waiting = splitText(text, maxLength).reverse();
  let piece = waiting.pop();
  while (piece !== undefined && parts.length < maxParts) {
    const formatted = await format(piece);
    if (formatted.text.length > maxLength && piece.length > 1) {
      waiting.push(...splitText(piece, Math.ceil(piece.length / 2)).reverse());
    } else if (formatted.text.trim() !== '') parts.push({ piece, formatted });
    piece = waiting.pop();
  }
  const done = parts.map(({ formatted }) => formatted);
  const last = parts.at(-1);
  if (piece === undefined || last === undefined) return { parts: done, cutChars: 0 };
  const missing = [piece, ...waiting].reduce((sum, { length }) => sum + length, 0);
  const end = await endingWithNote(last.piece, missing, maxLength, format);
  return { parts: [...done.slice(0, -1), end.formatted], cutChars: end.cutChars };
}

/** The last part, shortened to make room for its note. */
async function endingWithNote(
  piece: string,
  missing: number,
  maxLength: number,
  format: (piece: string) => Promise<FormattedText>,
): Promise<{ formatted: FormattedText; cutChars: number }> {
  for (let room = maxLength - longestNote; ; room = Math.floor(room / 2)) {
    const kept = room > 0 ? firstPart(piece, room) : '';
    const cutChars = missing + piece.length - Math.min(kept.length, piece.length);
    const formatted = await format(`${kept}${cutNote(cutChars)}`.trim());
    if (formatted.text.length <= maxLength || room <= 0) {
      return { formatted: { ...formatted, text: formatted.text.slice(0, maxLength) }, cutChars };
    }
  }
}

/**
 * Shortens a text that an adapter splits into too many parts, and adds the same note.
 * @param partsOf how many parts the adapter makes of a text
 */
export async function cutToParts(
  text: string,
  made: number,
  maxParts: number,
  partsOf: (text: string) => Promise<number>,
): Promise<{ text: string; cutChars: number }> {
  let count = made;
  let room = text.length;
  for (;;) {
    room = Math.floor(Math.min(room * 0.9, (room * maxParts) / count));
    const kept = room > longestNote ? firstPart(text, room - longestNote) : '';
    const cutChars = text.length - kept.length;
    const shorter = `${kept}${cutNote(cutChars)}`.trim();
    count = await partsOf(shorter);
    if (count <= maxParts || kept === '') return { text: shorter, cutChars };
  }
}

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
      attempt: delivery.claim,
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
    const context: ProjectScope = scopeOf(delivery);
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
