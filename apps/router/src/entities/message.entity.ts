import type {
  AutomaticKind,
  HeldTurn,
  NormalizedMessage,
  ReplyWithheld,
  RequestFacts,
  TextFrom,
  TurnInput,
  TurnOfRun,
  TurnOfSession,
} from '#libs/contracts';
import { storableJson } from '#libs/database';
import type { EntryInRow } from '#libs/journal';
import { PackedForm } from '#libs/packing';
import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What one trigger decided about one message, and why. */
export interface Verdict {
  trigger_id: string;
  workflow_id: number;
  verdict: 'matched' | 'filtered' | 'rate_limited' | 'suspended' | 'filter_error' | 'off';
  reason: string | null;
}

/** A turn that a message starts, as the message's row stores it, without what the row already has. */
export interface Target {
  turn_id: string;
  run: TurnOfRun | null;
  session: TurnOfSession | null;
  agent_id: string | null;
  held?: HeldTurn;
  input: Omit<TurnInput, 'message'>;
}

/**
 * A target in the row of its message, where it takes a third of the space: without what it is by default.
 * `usual_words`: a sender is informed in the words that channels have until somebody writes others.
 */
export interface StoredTarget
  extends Pick<Target, 'turn_id' | 'held'>, Partial<Omit<Target, 'turn_id' | 'run' | 'input'>> {
  run?: (Pick<TurnOfRun, 'id' | 'workflow_id'> & Partial<TurnOfRun>) | null;
  input: Target['input'] & { usual_words?: true };
}

/** A message that no person wrote and that is not the platform's own: `is_bot` is false. */
export type MachineKind = AutomaticKind | 'bot';

/**
 * Whether the Chief of Staff got the message: `taken`; `off` where the channel says so; `trigger_took_it` where the
 * channel has it get only what no trigger takes; otherwise why it did not. Null when it was not considered: the message
 * was refused, or named its workflow.
 */
export type ChiefOfStaffVerdict = 'taken' | 'off' | 'trigger_took_it' | MachineKind | null;

/** Reads messages, without the turns that they start, for `unpacked`. */
export const messagesSql = `
  SELECT id, organization_id, project_id, app_id, receipt_id, verified, text_from, message, request, packed, outcome, reason,
         verdicts, unlisted_verdicts, app_kind, app_sends, chief_of_staff, reply_withheld, contact_id, sanitizer_report, released_at,
         released_by, created_at
    FROM router.message`;

/** A message as it is shown. */
export abstract class MessageRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'message_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) app_id: string;
  @Column({ type: 'text' }) receipt_id: string;
  @Column({ type: 'boolean' }) verified: boolean;
  /** According to the App when it came: whether its system wrote the text, or people may have. */
  @Column({ type: 'text', default: 'people' }) text_from: TextFrom;
  @Column({ type: 'jsonb' }) message: NormalizedMessage;
  /** What filters may read of the request; null: it came by none, or before this was kept. */
  @Column({ type: 'jsonb', nullable: true }) request: RequestFacts | null;
  @Column({ type: 'text' }) outcome: string;
  @Column({ type: 'text', nullable: true }) reason: string | null;
  @Column({ type: 'jsonb' }) verdicts: Verdict[];
  /** Triggers that filtered the message out beyond those in `verdicts`. */
  @Column({ type: 'integer' }) unlisted_verdicts: number;
  @Column({ type: 'text' }) app_kind: 'builtin' | 'adapter';
  /** Whether the App could deliver a reply when the message came. */
  @Column({ type: 'boolean', default: true }) app_sends: boolean;
  @Column({ type: 'text', nullable: true }) chief_of_staff: ChiefOfStaffVerdict;
  /** Why the first result is not answered; null: it is, or nobody took the message. */
  @Column({ type: 'text', nullable: true }) reply_withheld: ReplyWithheld | null;
  /** The contact as it was resolved, before any merge; null for the built-in Webhook app. */
  @Column({ type: 'text', nullable: true }) contact_id: string | null;
  /** What the sanitiser changed; null when it changed nothing. */
  @Column({ type: 'jsonb', nullable: true }) sanitizer_report: Record<string, unknown> | null;
  /** When a held, paused, dropped or parked message was released and routed. */
  @Column({ type: 'timestamptz', nullable: true }) released_at: Date | null;
  @Column({ type: 'text', nullable: true }) released_by: string | null;
  @Column({ type: 'timestamptz' }) created_at: Date;
}

/** A message with the turns that it started. */
export abstract class StoredMessage extends MessageRow {
  /** The turns that it started when first routed; those of replays and releases are not included. */
  @Column({ type: 'jsonb', default: [] }) turns: StoredTarget[];
  /** When it was committed: from then on, the engine is asked about its turns. */
  @Column({ type: 'timestamptz', default: () => 'now()' }) routed_at: Date;
}

/** A claimed message: handled once, however often it is delivered. Read it with `unpacked`. */
@Entity({ schema: 'router', name: 'message' })
@Index('message_by_receipt', ['receipt_id'])
@Index('message_held', ['project_id', 'id'], {
  where: `"outcome" NOT IN ('routed', 'no_match') AND "released_at" IS NULL`,
})
@Index('message_by_contact', ['contact_id', 'id'], { where: `"contact_id" IS NOT NULL` })
@Index('message_by_app', ['app_id', 'id'])
@Index('message_routed', ['routed_at'])
// A release that knows nothing of `packed` would erase what is beside it, and say that the message is erased.
@Check('message_text_is_once', `packed IS NULL OR (message -> 'message') IS NULL`)
export class PackedMessage extends StoredMessage {
  /** What `packedRows` took out of `message`, `request` and `turns`; null: they have all of it. */
  @Column({ type: 'bytea', nullable: true }) packed: Buffer | null;
  /** Its entry in the timeline: that it was routed. Null: it was not, or the journal has it. */
  @Column({ type: 'json', nullable: true }) entry: EntryInRow | null;
}

/** Fields of a message that statements ask for: they stay where they were. */
type AskedFor = 'event_type' | 'sender' | 'is_bot' | 'is_dm' | 'missing';
/** What they ask of the metadata of mails. It is packed as well. */
const askedOfMails = ['auto_submitted', 'mailing_list', 'list_address'];

interface Content {
  message: Omit<NormalizedMessage, AskedFor>;
  request: RequestFacts | null;
  turns: Omit<StoredTarget, 'turn_id'>[];
}

/** The largest `MESSAGE_PACK_BYTES`. */
const mostUnpackedBytes = 1_048_576;

const firstForm = new PackedForm(
  'A message',
  1,
  mostUnpackedBytes,
  `"x-github-event":""x-forwarded-for":""user-agent":"Mozilla/5.0 (compatible; bot)""accept":"*/*""accept-encoding":"gzip, deflate, br""application/x-www-form-urlencoded"` +
    `"origin":{"delivery_id":"dlv_","hops":"dedup_key":""workflow_id":1"attachments":[{"name":""content_type":""url":"https://""size":"created_at":""updated_at":""timestamp":"` +
    `"email":""subject":""message_id":""channel":""user":{"name":""id":""text":""held":{"until":"workflow","at":"2026-"output_schema":{"type":"object","properties":{"type":"string"},"required":["` +
    `"failure_notice":""limit_words":""text_from":"system","started_by":["key:"rehearsal":true,"reply_withheld":""trust":"unknown","trust":"known","contact_id":"con_"typing":true,"files":true,"interim":"edited","answers":"` +
    `{"message":{"message":"","thread_id":"","metadata":{"channel_address":"","reply_context":{"payload":{"sender":"","message":"","thread_id":""` +
    `}}},"request":{"headers":{"host":"","content-type":"application/json"},"query":{}},"turns":[{"run":{"id":"run_","workflow_id":1,"trigger_id":"trg_"},` +
    `"session":{"key":"app_ thread ","contact_id":null,"inbox_mode":"queue","reset_before":null,"place":"evt_"},"agent_id":"agt_",` +
    `"input":{"verified":true,"instructions":"null,"reply":{"app_id":"app_","channel_address":"","by_channel":true,"thread_id":"","reply_context":null},"usual_words":true,"trust":"builtin"}}]}`,
);

type NewRow = MessageRow & { turns: StoredTarget[]; entry?: EntryInRow | null };
/** A row to insert: `packed` in the text form of a bytea. */
export type PackedRow = Omit<NewRow, 'message' | 'turns'> & {
  message: NormalizedMessage | (Pick<NormalizedMessage, AskedFor> & { metadata?: Record<string, unknown> });
  turns: (StoredTarget | Pick<StoredTarget, 'turn_id'>)[];
  packed: string | null;
};

/** What is packed at a stretch: some 10 ms for messages of 1 KB, some 30 for long ones. Nothing else runs meanwhile. */
const mostAtOnce = { rows: 250, bytes: 2 * 1_048_576 };

/**
 * Rows as they are written: what no statement asks for is compressed, in 40 µs for a message of 1 KB, all in all. In another
 * thread it would cost this one as much. Those beyond `mostAtOnce` stay as they are: one webhook may have a thousand
 * messages, and others wait for this thread and for the senders that its transaction has locked.
 * @param mostBytes larger ones stay as they are; 0: all do
 */
export function packedRows(rows: NewRow[], mostBytes: number): PackedRow[] {
  let leftBytes = mostAtOnce.bytes;
  return rows.map((row, index) => {
    const bytes = index < mostAtOnce.rows ? serialised(row, Math.min(mostBytes, leftBytes)) : null;
    // It took as long, whether or not it is packed.
    leftBytes -= bytes?.length ?? 0;
    return bytes === null || bytes.length > mostBytes ? { ...row, packed: null } : packedRow(row, bytes);
  });
}

/** What is packed of a row; null: it is larger, as its text alone says. */
function serialised({ message, request, turns }: NewRow, mostBytes: number): Buffer | null {
  if (message.message.length >= mostBytes) return null;
  const { event_type: _type, sender: _sender, is_bot: _bot, is_dm: _dm, missing: _missing, ...rest } = message;
  const content: Content = { message: rest, request, turns: turns.map(({ turn_id: _id, ...target }) => target) };
  return Buffer.from(storableJson(content));
}

function packedRow(row: NewRow, bytes: Buffer): PackedRow {
  const packed = firstForm.packNow(bytes);
  if (packed.length >= bytes.length) return { ...row, packed: null };
  const { event_type, sender, is_bot, is_dm, missing, metadata } = row.message;
  return {
    ...row,
    message: { event_type, sender, is_bot, is_dm, missing, ...askedOf(metadata) },
    request: null,
    turns: row.turns.map(({ turn_id }) => ({ turn_id })),
    packed: `\\x${packed.toString('hex')}`,
  };
}

function askedOf(metadata: Record<string, unknown> = {}): { metadata?: Record<string, unknown> } {
  const asked = Object.entries(metadata).filter(
    ([field, value]) => askedOfMails.includes(field) || (field === 'message_id' && isMail(value)),
  );
  return asked.length > 0 ? { metadata: Object.fromEntries(asked) } : {};
}

/** The id of a message that a mail has continued a web chat with, as the gateway makes it. */
const isMail = (id: unknown): boolean => typeof id === 'string' && id.startsWith('mail-evt');

/** Columns as a statement gives them: `packed` has the rest of the others. */
export type Packed<R> = R & { packed: Buffer | null };

/**
 * The one way to read `message`, `request` and `turns`: as they were before `packedRows`.
 * @param row any columns of a message, `packed` among them
 */
export function unpacked<R extends Partial<Pick<NewRow, 'message' | 'request' | 'turns'>>>({
  packed,
  ...row
}: Packed<R>): Omit<Packed<R>, 'packed'> {
  if (packed === null) return row;
  const content = JSON.parse(firstForm.unpack(packed).toString()) as Content;
  const { metadata: _asked, ...kept } = row.message ?? {};
  return {
    ...row,
    ...(row.message ? { message: { ...kept, ...content.message } } : {}),
    ...(row.request === undefined ? {} : { request: content.request }),
    ...(row.turns ? { turns: row.turns.map((turn, index) => ({ ...content.turns[index], ...turn })) } : {}),
  };
}

/**
 * For those who look at messages: one that cannot be unpacked, since it is damaged or of a later form, has that as its text,
 * and does not keep the others from being shown. Whoever acts by a message uses `unpacked`.
 */
export function shown<R extends Pick<NewRow, 'message'>>(row: Packed<R>): Omit<Packed<R>, 'packed'> {
  try {
    return unpacked(row);
  } catch (error) {
    const { packed: _packed, ...rest } = row;
    return {
      ...rest,
      message: { ...row.message, message: `[This message cannot be shown. ${(error as Error).message}]` },
    };
  }
}
