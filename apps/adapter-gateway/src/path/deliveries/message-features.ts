import { type Feature, type Manifest, offersFeature } from '#libs/adapter-sdk';
import type { AttachmentHead, NormalizedMessage, OutboundAction, OutboundContent } from '#libs/contracts';
import { Database, Sweeping } from '#libs/database';
import { PermanentFailure } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { type DeliveryRow, type OfferedChoice, providerIdSql } from '../../entities/delivery.entity.js';
import { type GatewaySettings, SETTINGS } from '../../env.js';
import type { ReplacedDelivery } from './delivery.repository.js';

export interface FittedContent {
  content: OutboundContent;
  /** What the adapter cannot show; its fallback is in the content. */
  leftOut: Feature[];
}

/**
 * Reduces a message to what its adapter can show. An edit becomes a new message, choices become numbered words, and a
 * reaction beside a text is left out.
 * @param firstNumber of its choices, where they are words
 * @param maxBytes of all its files; a manifest may say less
 * @throws PermanentFailure `unsupported` when nothing remains
 */
export function fittedContent(
  given: OutboundContent,
  manifest: Manifest,
  firstNumber: number,
  maxBytes: number,
): FittedContent {
  const { edit_of, actions = [], actions_for: _for, reaction, attachments = [], ...content }: OutboundContent = given;
  const lacks = (feature: Feature): boolean => !offersFeature(manifest, feature);
  const isReduced: [Feature, boolean][] = [
    ['edit', edit_of !== undefined && lacks('edit')],
    ['actions', actions.length > 0 && lacks('actions')],
    ['files', attachments.length > 0 && (lacks('files') || isOver(attachments, manifest, maxBytes))],
    ['reactions', reaction !== undefined && lacks('reactions')],
  ];
  const leftOut = isReduced.flatMap(([feature, isSo]) => (isSo ? [feature] : []));
  const isEmpty = content.text.trim() === '' && attachments.length === 0;
  if (isEmpty && leftOut.includes('reactions')) {
    throw new PermanentFailure('unsupported', `${manifest.name} cannot react to messages, and there is no text`);
  }
  const inWords = leftOut.includes('actions');
  const withoutFiles = leftOut.includes('files');
  const parts = [content.text, ...(withoutFiles ? [unsent(attachments)] : [])];
  return {
    leftOut,
    content: {
      ...content,
      text: [...parts, ...(inWords ? [numbered(actions, firstNumber)] : [])].filter((part) => part !== '').join('\n\n'),
      ...(attachments.length > 0 && !withoutFiles && { attachments }),
      ...(edit_of !== undefined && !leftOut.includes('edit') && { edit_of }),
      ...(actions.length > 0 && !inWords && { actions }),
      ...(reaction !== undefined && !leftOut.includes('reactions') && { reaction }),
    },
  };
}

/** The provider's id of the message whose place another one takes by an edit; null: that one is a message of its own. */
export function editableOf(
  before: ReplacedDelivery,
  { channel_address: address }: OutboundContent['target'],
  manifest: Manifest,
): string | null {
  if (before.state !== 'delivered' || !offersFeature(manifest, 'edit')) return null;
  const { id, provider_message_id: messageId } = before;
  // An adapter that names no id gives the delivery's.
  return before.channel_address === address && messageId !== null && !messageId.startsWith(id) ? messageId : null;
}

function isOver(files: readonly AttachmentHead[], { message }: Manifest, maxBytes: number): boolean {
  const most = Math.min(maxBytes, message?.max_attachment_bytes ?? maxBytes);
  return files.reduce((sum, { size }) => sum + size, 0) > most;
}

function unsent(files: readonly AttachmentHead[]): string {
  return `(Could not be sent here: ${files.map(({ name }) => name).join(', ')})`;
}

function numbered(actions: readonly OutboundAction[], first: number): string {
  const lines = actions.map(({ label }, index) => `${first + index}. ${label}`);
  return ['Answer with a number:', '', ...lines].join('\n');
}

/**
 * The fields of `/deliver` for what a message has beyond its text. Of several parts the first one is the edit, and the
 * last one has choices and reaction.
 */
export function featureFields(
  { edit_of, actions, reaction }: OutboundContent,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): Record<string, unknown> {
  return {
    ...(isFirst && edit_of !== undefined && { edit_of }),
    ...(isLast && actions !== undefined && { actions }),
    ...(isLast && reaction !== undefined && { reaction_to: reaction.to, reaction: reaction.emoji }),
  };
}

const cleanEveryMs = 600_000;
/** Longer than any label or number: other messages are not looked at. */
const maxAnswerChars = 60;

type Offering = Pick<Manifest, 'features' | 'message'>;
type Open = OfferedChoice & { message_id: string | null };

/**
 * Choices on channels without buttons: they are numbered, and an answer becomes the press that a button would have been.
 * In one conversation, numbers go on after those that still wait, so that each means one thing.
 */
@Injectable()
export class NumberedChoices extends Sweeping {
  constructor(
    private readonly db: Database,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {
    super();
    this.sweepEvery({
      name: 'offered-choices',
      everyMs: cleanEveryMs,
      batch: 1,
      sweep: async () => {
        await this.db.query(
          `DELETE FROM gateway.offered_choice WHERE offered_at < now() - $1::float8 * interval '1 millisecond'`,
          [settings.CHOICE_WAIT_MS],
        );
        return 0;
      },
    });
  }

  /** The number of a delivery's first choice, the same at every attempt. */
  async offer({ id, app_id: appId, content }: DeliveryRow, manifest: Offering): Promise<number> {
    const { actions = [], actions_for: answerer = null, target } = content;
    if (actions.length === 0 || offersFeature(manifest, 'actions')) return 1;
    const address = hashOf(target.channel_address ?? '');
    return this.db.transaction(async (tx) => {
      // Two messages at a time would else get the same numbers.
      await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`choices ${appId} ${address}`]);
      await tx.query(
        `INSERT INTO gateway.offered_choice (delivery_id, number, app_id, address_hash, answerer, action_id, label, value)
         SELECT $1, coalesce(open.most, 0) + a.n, $2, $3, $4, a.action ->> 'id', a.action ->> 'label', a.action ->> 'value'
           FROM jsonb_array_elements($5::jsonb) WITH ORDINALITY AS a(action, n)
          CROSS JOIN (SELECT max(number) AS most FROM gateway.offered_choice
                       WHERE app_id = $2 AND address_hash = $3 AND answered_by IS NULL AND ${fresh('$6')}) AS open
          WHERE NOT EXISTS (SELECT FROM gateway.offered_choice WHERE delivery_id = $1)`,
        [id, appId, address, answerer, JSON.stringify(actions), this.settings.CHOICE_WAIT_MS],
      );
      const sql = 'SELECT min(number) AS first FROM gateway.offered_choice WHERE delivery_id = $1';
      const [row] = (await tx.query(sql, [id])) as { first: number }[];
      return row?.first ?? 1;
    });
  }

  /** The messages of a receipt, those that answer a choice as its press. The same receipt gets the same again. */
  answered(
    appId: string,
    receiptId: string,
    manifest: Offering,
    messages: NormalizedMessage[],
  ): Promise<NormalizedMessage[]> {
    if (offersFeature(manifest, 'actions')) return Promise.resolve(messages);
    return Promise.all(messages.map((message) => this.pressOf(appId, receiptId, message)));
  }

  private async pressOf(appId: string, receiptId: string, message: NormalizedMessage): Promise<NormalizedMessage> {
    const text = message.message.trim();
    if (message.is_bot || message.event_type === 'action' || text === '' || text.length > maxAnswerChars)
      return message;
    const address = message.metadata?.['channel_address'];
    const open = (await this.db.query(
      `SELECT c.*, ${providerIdSql('d')} AS message_id
         FROM gateway.offered_choice c LEFT JOIN gateway.delivery d ON d.id = c.delivery_id
        WHERE c.app_id = $1 AND c.address_hash = $2 AND ${fresh('$3')}
          AND (c.answered_by IS NULL OR c.answered_by = $4) AND (c.answerer IS NULL OR c.answerer = $5)`,
      [
        appId,
        hashOf(typeof address === 'string' ? address : message.sender),
        this.settings.CHOICE_WAIT_MS,
        receiptId,
        // As the router stores it: Postgres takes no NUL.
        message.sender.replaceAll('\0', '\ufffd'),
      ],
    )) as Open[];
    const chosen = chosenOf(text, open);
    if (!chosen || !(await this.take(chosen, receiptId))) return message;
    const { action_id: id, value, message_id } = chosen;
    const action = { id, value, ...(message_id !== null && { message_id }) };
    return {
      ...message,
      event_type: 'action',
      message: value,
      metadata: { ...message.metadata, action, answer: text },
    };
  }

  /** Of several receipts at a time, one gets it. */
  private async take({ delivery_id: id }: Open, receiptId: string): Promise<boolean> {
    const result: unknown = await this.db.query(
      `UPDATE gateway.offered_choice SET answered_by = $2
        WHERE delivery_id = $1 AND (answered_by IS NULL OR answered_by = $2)`,
      [id, receiptId],
    );
    return (result as [unknown[], number])[1] > 0;
  }
}

const fresh = (waitMs: string): string => `offered_at > now() - ${waitMs}::float8 * interval '1 millisecond'`;

const hashOf = (address: string): string => createHash('sha256').update(address).digest('hex');

/** By its number, or by its words where they mean one choice alone. */
function chosenOf(text: string, open: Open[]): Open | null {
  const [, number] = /^(\d{1,6})[.)]?$/.exec(text) ?? [];
  if (number !== undefined) return open.find((each) => each.number === Number(number)) ?? null;
  const same = open.filter(({ label }) => label.trim().toLowerCase() === text.toLowerCase());
  return same.length === 1 ? (same[0] ?? null) : null;
}
