import { hash, randomFillSync, randomInt } from 'node:crypto';
import { type IdKind, setUp, type SetUpKind } from './id-kinds.js';

/** An id and the time in it. */
export interface TimedId {
  id: string;
  /** ms since the epoch; never before that of an earlier id, even if the clock was set back. */
  timeMs: number;
}

/** `long`: that of earlier releases, which their processes understand. */
export type IdForm = 'short' | 'long';

let form: IdForm = 'short';

/** The form of the ids that this process makes from now on. What follows from an id has the form of that one. */
export function makeIds(as: IdForm): void {
  form = as;
}

/**
 * A new id. Those of one process sort in the order of their creation, so inserts append to an index instead of scattering
 * over it.
 */
export function newId(kind: IdKind, nowMs?: number): string {
  return setUp.has(kind) ? setUpId(kind, nowMs) : newTimedId(kind, nowMs).id;
}

let lastSetUpMs = 0;

/**
 * 14 digits of base 36: the time in ms, then 31 random bits. A process makes one a millisecond, so two are the same only
 * if two processes that make one in the same millisecond also draw the same bits. They sort after all longer ids.
 */
function setUpId(kind: IdKind, nowMs = Date.now()): string {
  lastSetUpMs = Math.max(nowMs, lastSetUpMs + 1);
  return `${kind}_${base36(lastSetUpMs, 8)}${base36(randomInt(36 ** 6), 6)}`;
}

/** Of a millisecond: three digits. */
const counts = { short: 36 ** 3, long: 16 ** 3 };
let lastMs = 0;
let lastTime = '';
let count = 0;

/**
 * A new id as `newId` makes it: 12 hexadecimal digits of the time in ms, then ten of base 36. Three of those count the ids
 * of the millisecond, from a number that is drawn, and seven are random: for two processes to make the same id, they
 * would have to draw the same of 2^50 numbers in the same millisecond.
 */
export function newTimedId(kind: IdKind, nowMs: number = Date.now()): TimedId {
  const at = eightRandomBytes();
  count += 1;
  if (nowMs > lastMs || count >= counts[form]) {
    lastMs = Math.max(nowMs, lastMs + 1);
    lastTime = hex(Math.floor(lastMs / 2 ** 24)) + hex(lastMs % 2 ** 24);
    // Half of the numbers are left for more. Never 0, as the id of a trace is never all zeros.
    count = 1 + (pool.readUInt16BE(at) % (counts[form] / 2));
  }
  return { id: `${kind}_${lastTime}${form === 'long' ? longTail(at) : tail(at)}`, timeMs: lastMs };
}

/** In two numbers of five digits: those of one of ten are made five times slower. */
function tail(at: number): string {
  return (
    base36(count * 36 ** 2 + (pool.readUInt16BE(at + 2) % 36 ** 2), 5) + base36(pool.readUInt32BE(at + 4) % 36 ** 5, 5)
  );
}

/** What follows the time in a UUIDv7 (RFC 9562) without dashes. */
function longTail(at: number): string {
  return `7${count.toString(16).padStart(3, '0')}8${pool.toString('hex', at, at + 8).slice(1)}`;
}

/** Asking the system for 8 bytes costs as much as for 4 KB. */
const pool = Buffer.alloc(4096);
let taken = pool.length;

/** @returns their offset in the pool */
function eightRandomBytes(): number {
  if (taken === pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  taken += 8;
  return taken - 8;
}

/** At most 24 bits. */
const hex = (value: number): string => value.toString(16).padStart(6, '0');
const base36 = (value: number, digits: number): string => value.toString(36).padStart(digits, '0');

/**
 * An id that follows from another one: whoever makes it again, after a commit that was lost, makes the same. It sorts as
 * the other one does among its kind.
 *
 * The time and the count of the other one, two digits of base 36 that are the place, and eight of a hash. That is three more
 * than a new id has: what follows from one id in several parts has nothing but the hash to tell them apart.
 * @param of the id that it follows from, which has the time
 * @param part what of it, where several of a kind follow from one id
 * @param at its place among those, by which the first 1,296 sort; by default that of `of`
 */
export function derivedId(kind: IdKind, of: string, part: string, at?: number): string {
  const digits = of.slice(of.indexOf('_') + 1);
  if (digits.length !== 22 && digits.length !== 25) return longDerivedId(kind, of, part, at);
  const place = at === undefined ? digits.slice(15, 17) : base36(at % 36 ** 2, 2);
  // The place is in the hash as well: of more than 1,296 some share its two digits.
  const hashed = hash('sha256', `${kind} ${of} ${part}${at === undefined ? '' : ` ${at}`}`);
  return `${kind}_${digits.slice(0, 15)}${place}${fourDigits(hashed, 0)}${fourDigits(hashed, 7)}`;
}

/** Of 28 bits. */
const fourDigits = (hashed: string, at: number): string =>
  base36(Number.parseInt(hashed.slice(at, at + 7), 16) % 36 ** 4, 4);

/** As earlier releases make it, so that what they began is not done twice. */
function longDerivedId(kind: IdKind, of: string, part: string, at?: number): string {
  const digits = of.slice(of.indexOf('_') + 1).padEnd(20, '0');
  const place = at === undefined ? digits.slice(17, 20) : (at & 0xfff).toString(16).padStart(3, '0');
  return `${kind}_${digits.slice(0, 16)}8${place}${hash('sha256', `${kind} ${of} ${part}`).slice(0, 12)}`;
}

/**
 * Sorts before every id of its kind from this time on, and after all earlier ones. Ids have an index, times have none. Not
 * for what people set up: its shorter ids sort after all longer ones, whenever those were made.
 */
export function firstId(kind: Exclude<IdKind, SetUpKind>, at: Date): string {
  return `${kind}_${at.getTime().toString(16).padStart(12, '0')}`;
}

/** When an id was made, in ms since the epoch. Receipts are partitioned by day, and their ids contain the day. */
export function idTimeMs(id: string): number {
  const digits = id.slice(id.indexOf('_') + 1, id.indexOf('_') + 13);
  return /^[0-9a-f]{12}$/.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
}
