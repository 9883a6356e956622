import { hash, randomFillSync, randomInt } from 'node:crypto';

/** Prefix of every kind of id: it shows what an id in a log line or a support mail refers to. */
export type IdKind =
  | 'org'
  | 'prj'
  | 'key'
  | 'usr'
  | 'mse'
  | 'sil'
  | 'app'
  | 'adp'
  | 'mfv'
  | 'src'
  | 'syn'
  | 'sdoc'
  | 'evt'
  | 'out'
  | 'msg'
  | 'cha'
  | 'ses'
  | 'trg'
  | 'wfl'
  | 'run'
  | 'trn'
  | 'stp'
  | 'agt'
  | 'dlv'
  | 'cred'
  | 'bnd'
  | 'aud'
  | 'rfa'
  | 'flw'
  | 'lnk'
  | 'rvk'
  | 'gev'
  | 'con'
  | 'dlt'
  | 'bat'
  | 'mcp'
  | 'prv'
  | 'tol'
  | 'skl'
  | 'tcl'
  | 'doc'
  | 'ent'
  | 'apr'
  | 'tri'
  | 'cmp'
  | 'nte'
  | 'can'
  | 'cmc'
  | 'cst'
  | 'sch'
  | 'tck'
  | 'ask'
  | 'opc'
  | 'req'
  | 'cfr'
  | 'alr'
  | 'alt'
  | 'mem'
  | 'viw'
  | 'wcm'
  | 'wai'
  | 'tsk'
  | 'psh';

/** What people set up: few, and repeated in every row of their messages. */
const setUpKinds = ['org', 'prj', 'app', 'agt', 'trg'] as const satisfies readonly IdKind[];
const setUp: ReadonlySet<IdKind> = new Set<IdKind>(setUpKinds);

/** A regular expression: the digits of ids of these kinds. Those of what people set up may have the shorter form. */
export function idDigits(...kinds: IdKind[]): string {
  return kinds.some((kind) => setUp.has(kind)) ? '(?:[0-9a-f]{32}|[0-9a-z]{14})' : '[0-9a-f]{32}';
}

let lastMs = 0;
let counter = 0;

/** An id and the time in it. */
export interface TimedId {
  id: string;
  /** ms since the epoch; never before that of an earlier id, even if the clock was set back. */
  timeMs: number;
}

/**
 * A new id: `<kind>_<32 hex digits>`, the digits a UUIDv7 (RFC 9562) without dashes; of what people set up, a shorter
 * one. Ids of one process sort in the order of their creation, so inserts append to an index instead of scattering over
 * it.
 */
export function newId(kind: IdKind, nowMs?: number): string {
  return setUp.has(kind) ? shortId(kind, nowMs) : newTimedId(kind, nowMs).id;
}

let lastShortMs = 0;

/**
 * 14 digits of base 36: the time in ms, then 31 random bits. A process makes one a millisecond, so two are the same only
 * if two processes that make one in the same millisecond also draw the same bits. They sort after all ids of 32 digits.
 */
function shortId(kind: IdKind, nowMs = Date.now()): string {
  lastShortMs = Math.max(nowMs, lastShortMs + 1);
  return `${kind}_${lastShortMs.toString(36).padStart(8, '0')}${randomInt(36 ** 6)
    .toString(36)
    .padStart(6, '0')}`;
}

/** A new id as `newId` makes it. */
export function newTimedId(kind: IdKind, nowMs: number = Date.now()): TimedId {
  if (nowMs <= lastMs) {
    counter += 1;
    if (counter > 0xfff) {
      lastMs += 1;
      counter = 0;
    }
  } else {
    lastMs = nowMs;
    counter = 0;
  }
  const at = sixteenRandomBytes();
  pool.writeUIntBE(lastMs, at, 6);
  pool.writeUInt16BE(0x7000 | counter, at + 6);
  pool[at + 8] = (pool[at + 8]! & 0x3f) | 0x80;
  return { id: `${kind}_${pool.toString('hex', at, at + 16)}`, timeMs: lastMs };
}

/** Asking the system for 16 bytes costs as much as for 4 KB. */
const pool = Buffer.alloc(4096);
let taken = pool.length;

/** @returns their offset in the pool */
function sixteenRandomBytes(): number {
  if (taken === pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  taken += 16;
  return taken - 16;
}

/**
 * An id that follows from another one: whoever makes it again, after a commit that was lost, makes the same. It sorts as
 * the other one does among its kind.
 * @param of the id that it follows from, which has the time
 * @param part what of it, where several of a kind follow from one id
 * @param at its place among those, up to 4,095; by default that of `of`
 */
export function derivedId(kind: IdKind, of: string, part: string, at?: number): string {
  const digits = of.slice(of.indexOf('_') + 1).padEnd(20, '0');
  const place = at === undefined ? digits.slice(17, 20) : (at & 0xfff).toString(16).padStart(3, '0');
  return `${kind}_${digits.slice(0, 16)}8${place}${hash('sha256', `${kind} ${of} ${part}`).slice(0, 12)}`;
}

/**
 * Sorts before every id of its kind from this time on, and after all earlier ones. Ids have an index, times have none. Not
 * for what people set up: its shorter ids sort after all longer ones, whenever those were made.
 */
export function firstId(kind: Exclude<IdKind, (typeof setUpKinds)[number]>, at: Date): string {
  return `${kind}_${at.getTime().toString(16).padStart(12, '0')}`;
}

/** When an id was made, in ms since the epoch. Receipts are partitioned by day, and their ids contain the day. */
export function idTimeMs(id: string): number {
  const digits = id.slice(id.indexOf('_') + 1, id.indexOf('_') + 13);
  return /^[0-9a-f]{12}$/.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
}
