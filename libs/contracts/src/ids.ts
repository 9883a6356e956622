import { randomFillSync } from 'node:crypto';

/** Prefix of every kind of id; the prefix makes an id in a log line or a support mail tell what it names. */
export type IdKind =
  | 'org'
  | 'prj'
  | 'key'
  | 'app'
  | 'adp'
  | 'mfv'
  | 'src'
  | 'syn'
  | 'sdoc'
  | 'evt'
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
  | 'tol'
  | 'skl'
  | 'tcl'
  | 'doc'
  | 'ent'
  | 'apr'
  | 'req';

let lastMs = 0;
let counter = 0;

/**
 * A new id: `<kind>_<32 hex digits>`, the digits a UUIDv7 (RFC 9562) without dashes. Ids made by one process sort in
 * the order they were made, so inserts append to an index instead of scattering over it.
 */
export function newId(kind: IdKind, nowMs: number = Date.now()): string {
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
  const time = timeDigits(lastMs);
  const random = eightRandomBytes();
  pool[random] = (pool[random]! & 0x3f) | 0x80;
  return `${kind}_${time}7${counter.toString(16).padStart(3, '0')}${pool.toString('hex', random, random + 8)}`;
}

/** Asking the system for 8 bytes costs as much as for 4 KB. */
const pool = Buffer.alloc(4096);
let taken = pool.length;

/** @returns where in the pool they are */
function eightRandomBytes(): number {
  if (taken === pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  taken += 8;
  return taken - 8;
}

/** What every id of a kind made at a time or later sorts after, and every earlier one before: ids have an index where times have none. */
export function firstId(kind: IdKind, at: Date): string {
  return `${kind}_${timeDigits(at.getTime())}`;
}

function timeDigits(ms: number): string {
  return ms.toString(16).padStart(12, '0');
}

/** Milliseconds since the epoch at which an id was made: receipts are partitioned by day, and their id tells the day. */
export function idTimeMs(id: string): number {
  const digits = id.slice(id.indexOf('_') + 1, id.indexOf('_') + 13);
  return /^[0-9a-f]{12}$/.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
}
