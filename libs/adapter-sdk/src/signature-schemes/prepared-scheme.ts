import { createHash, timingSafeEqual } from 'node:crypto';
import { signaturesIn, standardSignaturesIn } from '../signatures-in.js';
import { SIGNATURE_TOLERANCE_SECONDS } from '../signature-window.js';
import {
  headerOf,
  isJwt,
  isShared,
  siblingOf,
  signedTextOf,
  signsTime,
  type SignatureScheme,
} from './declared-scheme.js';
import { checkJwt } from './jwt-check.js';
import { type ReceivedRequest, RequestValues } from './request-values.js';
import { type SchemeKey, keysIn } from './scheme-keys.js';
import { refuse, type SchemeVerdict } from './scheme-verdict.js';
import { type ValueTemplate, valueOf } from './value-template.js';

/**
 * A declared scheme, made ready once for all requests of an endpoint. The keys are made once for each credential that
 * is in force, so that a request costs only its digest.
 */
export class PreparedScheme {
  private readonly keys = new WeakMap<object, ReturnType<typeof keysIn>>();
  private readonly header: string | null;
  private readonly text: ValueTemplate;
  private readonly timed: boolean;
  private readonly name: string;

  constructor(private readonly declared: SignatureScheme) {
    const { scheme, algorithm = 'sha256' } = declared;
    this.header = headerOf(declared);
    this.text = signedTextOf(declared);
    this.timed = signsTime(declared);
    this.name = scheme === 'hmac' ? `hmac-${algorithm}` : scheme;
  }

  /**
   * @param fields of the credential; kept by identity
   * @param bodies the forms that the proof may be over: as it came, and decompressed; values are read from the last one
   */
  check(fields: object, request: Omit<ReceivedRequest, 'body'>, bodies: Buffer[], nowMs: number): SchemeVerdict {
    const { keys, set } = this.keysOf(fields);
    if (keys.length === 0) {
      return set
        ? refuse('weak_secret', 'Signature verification is on, but the signing secret that is set cannot protect.')
        : refuse('not_configured', 'Signature verification is on, but no signing secret is set.');
    }
    const values = new RequestValues({ ...request, body: bodies.at(-1) ?? Buffer.alloc(0) });
    const all = this.given(values);
    const [given] = all;
    if (given === undefined) return this.missing();
    if (isShared(this.declared.scheme)) return this.shared(given, keys);
    if (isJwt(this.declared.scheme)) return this.jwt(given, keys, bodies, nowMs);
    return this.signed(all, keys, values, bodies, nowMs);
  }

  private keysOf(fields: object): ReturnType<typeof keysIn> {
    const known = this.keys.get(fields);
    if (known) return known;
    const made = keysIn(this.declared, fields as Record<string, unknown>);
    this.keys.set(fields, made);
    return made;
  }

  /** What is in the place of the proof; several texts where several headers may hold it. */
  private given(values: RequestValues): string[] {
    const { query, pointer } = this.declared;
    if (query !== undefined) return [values.query.get(query)].filter(isFilled);
    if (pointer !== undefined) return [values.text(pointer)].filter(isFilled);
    if (!this.header?.endsWith('*')) return [values.header(this.header ?? '')].filter(isFilled);
    const start = this.header.slice(0, -1);
    const names = Object.keys(values.request.headers).filter((name) => name.startsWith(start));
    return names.map((name) => values.header(name)).filter(isFilled);
  }

  private missing(): SchemeVerdict {
    const { scheme, query, pointer } = this.declared;
    const what = isShared(scheme) ? 'secret' : isJwt(scheme) ? 'token' : 'signature';
    if (query !== undefined) return refuse('missing_signature', `Send the ${what} in the query parameter ${query}.`);
    if (pointer !== undefined) return refuse('missing_signature', `Send the ${what} in the body, at ${pointer}.`);
    return scheme === 'standard-webhooks'
      ? this.missingStandard()
      : refuse('missing_signature', `Send the ${what} in the header ${this.header}.`);
  }

  private missingStandard(): SchemeVerdict {
    const header = this.header ?? '';
    const names = `${siblingOf(header, 'id')}, ${siblingOf(header, 'timestamp')} and ${header}`;
    return refuse('missing_signature', `Send ${names}.`);
  }

  private shared(given: string, keys: SchemeKey[]): SchemeVerdict {
    const { scheme, prefix = '' } = this.declared;
    const secret = scheme === 'basic' ? basicOf(given) : given.startsWith(prefix) ? given.slice(prefix.length) : null;
    const match = secret === null ? undefined : keys.find(({ value }) => sameText(value, secret));
    return match
      ? this.accepted(match, keys, null)
      : refuse('bad_signature', 'The secret of the request is not the one that is set here.');
  }

  private jwt(given: string, keys: SchemeKey[], bodies: Buffer[], nowMs: number): SchemeVerdict {
    const found = checkJwt(this.declared, given, keys, bodies, nowMs);
    return 'key' in found ? this.accepted(found.key, keys, null) : found;
  }

  private signed(
    all: string[],
    keys: SchemeKey[],
    values: RequestValues,
    bodies: Buffer[],
    nowMs: number,
  ): SchemeVerdict {
    const { scheme, prefix = scheme === 'hmac' ? 'sha256=' : '', encoding = 'hex' } = this.declared;
    const isStandard = scheme === 'standard-webhooks';
    const time = this.timed ? this.timeOf(all[0] ?? '', values) : null;
    if (time === undefined) return isStandard ? this.missingStandard() : this.missingTime();
    const around = this.around(values, time ?? '');
    if (typeof around === 'string') return isStandard ? this.missingStandard() : missingValue(around);
    if (time !== null && !this.isRecent(time, nowMs)) return this.stale();
    const isFirst = this.declared.timestamp_entry === 'first';
    const signatures = all.flatMap((given) =>
      isStandard
        ? standardSignaturesIn(given)
        : signaturesIn(isFirst ? given.replace(firstEntry, '') : given, prefix, encoding),
    );
    if (signatures.length === 0 || !this.coversBody(values)) return badSignature;
    const match = keys.find(({ made }) => bodies.some((body) => made(signatures, around(body))));
    return match ? this.accepted(match, keys, time) : badSignature;
  }

  private timeOf(given: string, values: RequestValues): string | undefined {
    const { scheme, timestamp_header: header, timestamp_pointer: pointer, timestamp_entry: entry } = this.declared;
    if (scheme === 'standard-webhooks') return values.header(siblingOf(this.header ?? '', 'timestamp')) || undefined;
    if (entry !== undefined) return entryOf(given, entry);
    return (pointer === undefined ? values.header(header?.toLowerCase() ?? '') : values.text(pointer)) || undefined;
  }

  private missingTime(): SchemeVerdict {
    const { timestamp_header: header, timestamp_pointer: pointer, timestamp_entry: entry } = this.declared;
    if (entry !== undefined) {
      return refuse('missing_timestamp', `Send the time of signing ${entryName(entry)} beside the signature.`);
    }
    return refuse(
      'missing_timestamp',
      pointer === undefined
        ? `Send the time of signing in the header ${header}.`
        : `Send the time of signing in the body, at ${pointer}.`,
    );
  }

  private isRecent(time: string, nowMs: number): boolean {
    const { timestamp_unit: unit = 's', tolerance_seconds: tolerance = SIGNATURE_TOLERANCE_SECONDS } = this.declared;
    const number = unit === 'iso' ? isoTime(time) : /^\d{1,15}$/.test(time) ? Number(time) : Number.NaN;
    return Math.abs(nowMs - (unit === 's' ? number * 1_000 : number)) <= tolerance * 1_000;
  }

  private stale(): SchemeVerdict {
    const { scheme, timestamp_header: header, timestamp_pointer: pointer, timestamp_entry: entry } = this.declared;
    const { timestamp_unit: unit = 's', tolerance_seconds: tolerance = SIGNATURE_TOLERANCE_SECONDS } = this.declared;
    const form = { s: 'in Unix seconds', ms: 'in Unix milliseconds', iso: 'as in ISO 8601' }[unit];
    const name =
      scheme === 'standard-webhooks'
        ? siblingOf(this.header ?? '', 'timestamp')
        : (header ?? pointer ?? `The time ${entryName(entry ?? '')}`);
    return refuse('stale_timestamp', `${name} is not a time ${form}, or is more than ${tolerance} s off.`);
  }

  /** What is signed with a body in it; or the name of the header or parameter that is absent. */
  private around(values: RequestValues, time: string): string | ((body: Buffer) => Buffer[]) {
    let before = '';
    let after: string | undefined;
    for (const part of this.text) {
      if (typeof part !== 'string' && part.name === 'body') {
        after = '';
        continue;
      }
      let text = typeof part === 'string' ? part : part.name === 'timestamp' ? time : valueOf(part, values);
      if (typeof part !== 'string' && part.name === 'headers' && !this.listsEnough(part.of, values)) return part.of;
      // What a body does not have is signed as nothing; a header that is covered has to be there.
      if (text === undefined && typeof part !== 'string' && part.name === 'pointer') text = '';
      if (text === undefined) return typeof part === 'string' ? part : part.of;
      if (after === undefined) before += text;
      else after += text;
    }
    const [head, tail] = [Buffer.from(before), after ? Buffer.from(after) : null];
    if (after === undefined) return () => [head];
    return (body) => (tail ? [head, body, tail] : before === '' ? [body] : [head, body]);
  }

  /** The sender chooses which headers it signs: a list or a time that is not among them could be changed. */
  private listsEnough(list: string, values: RequestValues): boolean {
    const names = values.namesIn(list);
    const { timestamp_header: time } = this.declared;
    return [list, time?.toLowerCase()].every((name) => name === undefined || names.includes(name));
  }

  /** A signature over the fields of a form says nothing about a body that is none, except by its digest in the URL. */
  private coversBody(values: RequestValues): boolean {
    const { body_hash_query: name } = this.declared;
    const onlyParams = this.text.some((part) => typeof part !== 'string' && part.name === 'params');
    if (!onlyParams || values.isUrlEncoded || values.request.body.length === 0) return true;
    const digest = name === undefined ? null : values.query.get(name);
    return digest !== null && sameText(sha256(values.request.body, 'hex'), digest.toLowerCase());
  }

  private accepted({ field }: SchemeKey, keys: SchemeKey[], signedAt: string | null): SchemeVerdict {
    // With a single secret there is nothing to tell apart.
    return { ok: true, scheme: keys.length > 1 ? `${this.name} by ${field}` : this.name, signedAt };
  }
}

const badSignature = refuse('bad_signature', 'The signature does not match the body and the secret.');

const missingValue = (name: string): SchemeVerdict =>
  refuse('missing_signature', `Send ${name}, which the signature covers.`);

/** An ISO 8601 time with its zone. */
function isoTime(text: string): number {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
}

/** Where the time is among the signatures, in words. */
const entryName = (entry: string): string => (entry === 'first' ? 'first' : `as ${entry}=`);

const isFilled = (text: string | null | undefined): text is string => typeof text === 'string' && text !== '';

const firstEntry = /^[\s,;]*[^\s,;]+/;

/** The value of the entry with that name: `1700000000` of `t` in `t=1700000000,v1=…`. */
function entryOf(given: string, name: string): string | undefined {
  const entries = given.split(/[\s,;]+/).filter(isFilled);
  if (name === 'first') return entries[0];
  return entries.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1) || undefined;
}

/** `user:password` of HTTP Basic (RFC 7617), null for anything else. */
function basicOf(given: string): string | null {
  const [, encoded] = /^basic +([A-Za-z0-9+/=_-]+)$/i.exec(given.trim()) ?? [];
  return encoded === undefined ? null : Buffer.from(encoded, 'base64').toString('utf8');
}

function sha256(body: Buffer, encoding: 'hex' | 'base64'): string {
  return createHash('sha256').update(body).digest(encoding);
}

/** In constant time, whatever the lengths. */
function sameText(a: string, b: string): boolean {
  const [x, y] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return x !== undefined && y !== undefined && timingSafeEqual(x, y);
}
