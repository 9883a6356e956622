import type { NormalizedMessage } from '#libs/contracts';
import { deflateRawSync } from 'node:zlib';
import { type MessageRow, type PackedRow, packedRows, shown, type StoredTarget, unpacked } from './message.entity.js';

type Row = MessageRow & { turns: StoredTarget[] };

const target: StoredTarget = {
  turn_id: 'trn_1',
  run: { id: 'run_1', workflow_id: 7 },
  input: { verified: true, instructions: 'Sort „it“.', reply: null, usual_words: true },
};
const message: NormalizedMessage = {
  event_type: 'message_received',
  sender: 'ada',
  message: 'Grüße, "Ada" \\ 𠀀\n\ttwice: Grüße, "Ada" \\ 𠀀',
  is_bot: false,
  is_dm: true,
  missing: ['is_bot'],
  thread_id: 't1',
  dedup_key: 'k',
  workflow_id: 7,
  origin: { delivery_id: 'dlv_1', hops: 2 },
  metadata: {
    long: 'all of it '.repeat(2_000),
    attachments: [{ name: 'a.pdf', url: 'https://example.com/a.pdf', size: 3 }],
    nested: { list: [1, null, { a: [] }] },
  },
};
const rowOf = (change: Partial<NormalizedMessage> = {}, over: Partial<Row> = {}): Row => ({
  id: 'msg_1',
  organization_id: 'org_1',
  project_id: 'prj_1',
  app_id: 'app_1',
  receipt_id: 'evt_1',
  verified: true,
  text_from: 'people',
  message: { ...message, ...change },
  request: { headers: { 'x-a': 'b' }, query: { c: 'd' } },
  outcome: 'routed',
  reason: null,
  verdicts: [],
  unlisted_verdicts: 0,
  app_kind: 'adapter',
  app_sends: true,
  chief_of_staff: null,
  reply_withheld: null,
  contact_id: null,
  sanitizer_report: null,
  released_at: null,
  released_by: null,
  created_at: new Date(0),
  turns: [target, { ...target, turn_id: 'trn_2' }],
  ...over,
});
/** As Postgres would give it back. */
const readOf = (row: PackedRow) => {
  const {
    packed,
    message: kept,
    turns,
  } = JSON.parse(JSON.stringify(row)) as PackedRow & Pick<Row, 'message' | 'turns'>;
  return { ...row, message: kept, turns, packed: packed === null ? null : Buffer.from(packed.slice(2), 'hex') };
};
const most = 65_536;
const packedRow = (row: Row, mostBytes: number): PackedRow => packedRows([row], mostBytes)[0]!;

describe('a row of a message', () => {
  it.each<[string, Row]>([
    ['of text in several scripts, files and nested metadata', rowOf()],
    ['without metadata, request or turns', rowOf({ metadata: undefined }, { request: null, turns: [] })],
    [
      'whose metadata has what statements ask for',
      rowOf({ metadata: { list_address: null, message_id: 'mail-evt_1-0' } }),
    ],
    ['with fields that prototypes have', rowOf({ metadata: JSON.parse('{"__proto__":{"a":1},"constructor":2}') })],
    ['of one character', rowOf({ message: '.', metadata: {} }, { request: null, turns: [] })],
  ])('%s is read as it was written', (_what, row) => {
    const written = packedRow(row, most);
    expect(written.packed).not.toBeNull();
    const { message: read, ...rest } = unpacked(readOf(written));
    const { message: given, ...others } = row;
    expect(rest).toEqual(others);
    expect(read).toEqual(JSON.parse(JSON.stringify(given)));
    expect(JSON.stringify(read.metadata)).toBe(JSON.stringify(given.metadata));
  });

  it('keeps beside what is packed only what statements ask for', () => {
    const asked = { auto_submitted: false, mailing_list: false, list_address: 'l', message_id: 'mail-evt_1-0' };
    const { message: kept, request, turns } = packedRow(rowOf({ metadata: { ...asked, subject: 's' } }), most);
    const { event_type, sender, is_bot, is_dm, missing } = message;
    expect(kept).toEqual({ event_type, sender, is_bot, is_dm, missing, metadata: asked });
    expect(request).toBeNull();
    expect(turns).toEqual([{ turn_id: 'trn_1' }, { turn_id: 'trn_2' }]);
    expect(packedRow(rowOf({ metadata: { message_id: 'of-a-provider' } }), most).message).not.toHaveProperty(
      'metadata',
    );
  });

  it('that is larger than the setting says, or that would not become smaller, stays as it is', () => {
    expect(packedRow(rowOf(), 1_000)).toEqual({ ...rowOf(), packed: null });
    expect(packedRow(rowOf(), 0)).toEqual({ ...rowOf(), packed: null });
    expect(unpacked({ ...rowOf(), packed: null })).toEqual(rowOf());
  });

  it('is not serialised where nothing is packed, or where its text alone is larger', () => {
    let serialised = 0;
    const row = rowOf({ message: 'x'.repeat(most), metadata: { toJSON: () => (serialised += 1) } });
    expect(packedRow(row, most).packed).toBeNull();
    expect(packedRow({ ...row, message: { ...row.message, message: '' } }, 0).packed).toBeNull();
    expect(serialised).toBe(0);
  });

  it('that is the 251st at a stretch, or beyond 2 MB of them, stays as it is', () => {
    const short = Array.from({ length: 300 }, (_, at) => rowOf({ metadata: {} }, { id: `msg_${at}` }));
    const packed = packedRows(short, most);
    expect(packed.map((row) => row.packed !== null)).toEqual(short.map((_row, at) => at < 250));
    expect(packed.map(({ id }) => id)).toEqual(short.map(({ id }) => id));
    expect(packed[250]).toEqual({ ...short[250], packed: null });
    const long = Array.from({ length: 50 }, () => rowOf({ message: 'x'.repeat(60_000), metadata: {} }));
    expect(packedRows(long, most).filter((row) => row.packed !== null)).toHaveLength(34);
  });

  it('is shown with words that say so where it cannot be unpacked, with its sender', () => {
    const { message: kept, packed } = readOf(packedRow(rowOf(), most));
    expect(shown({ message: kept, packed })).toEqual({ message });
    const { message: notice } = shown({ message: kept, packed: Buffer.from([9, 1]) });
    expect(notice).toMatchObject({
      sender: 'ada',
      message: '[This message cannot be shown. A message is packed in form 9, which a later release wrote.]',
    });
  });

  it('of the largest that the setting may say is read, and one that is damaged or has more is refused', () => {
    const largest = rowOf({ message: 'x'.repeat(1_048_576 - 3_000), metadata: {} });
    const { message: kept, packed } = readOf(packedRow(largest, 1_048_576));
    expect(packed).not.toBeNull();
    expect(unpacked({ message: kept, packed }).message.message).toBe(largest.message.message);
    const bomb = Buffer.concat([Buffer.from([1]), deflateRawSync(Buffer.alloc(2 * 1_048_576))]);
    expect(() => unpacked({ message, packed: bomb })).toThrow(
      'A message that is packed is damaged: it has more than 1048576 bytes.',
    );
    expect(() => unpacked({ message, packed: packed!.subarray(0, 40) })).toThrow(
      /^A message that is packed is damaged: .+\.$/,
    );
  });

  it('is read in part, where a statement asks for some columns', () => {
    const { message: kept, packed } = readOf(packedRow(rowOf(), most));
    expect(unpacked({ message: kept, packed })).toEqual({ message });
  });

  it('replaces what Postgres cannot store, as in a row that is not packed', () => {
    const { message: kept, packed } = readOf(packedRow(rowOf({ message: 'a\0b\ud800', metadata: {} }), most));
    expect(unpacked({ message: kept, packed }).message.message).toBe('a\ufffdb\ufffd');
  });

  it('of another form is refused by name', () => {
    expect(() => unpacked({ message, packed: Buffer.from([9, 1]) })).toThrow(
      'A message is packed in form 9, which a later release wrote.',
    );
  });

  it('of 1 KB has half of the size', () => {
    const text = Array.from({ length: 90 }, (_, at) => ((at * 7_919) % 100_003).toString(36))
      .join(' ')
      .slice(0, 400);
    const row = rowOf({ message: text, metadata: { payload: { message: text } } });
    expect(packedRow(row, most).packed!.length / 2).toBeLessThan(JSON.stringify(row.message).length / 2);
  });
});
