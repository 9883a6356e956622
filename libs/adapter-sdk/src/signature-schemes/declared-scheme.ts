import type { ValueTemplate } from './value-template.js';
import { parseTemplate } from './value-template.js';

export const SIGNATURE_SCHEMES = [
  'hmac',
  'standard-webhooks',
  'ed25519',
  'ecdsa-p256',
  'rsa',
  'jwt-hs256',
  'jwt-rs256',
  'jwt-es256',
  'secret',
  'basic',
] as const;

export type SignatureSchemeName = (typeof SIGNATURE_SCHEMES)[number];

/**
 * How a sender proves that a request is its own. The proof is in one of `header`, `query` and `pointer`; several
 * signatures may be there, and any of them may match.
 */
export interface SignatureScheme {
  scheme: SignatureSchemeName;
  /** Default: `x-signature-256`, `webhook-signature` or `authorization`. With `*` at its end: every header that begins so. */
  header?: string;
  /** Query parameter. */
  query?: string;
  /** JSON pointer (RFC 6901) into the body, or into the fields of a form. */
  pointer?: string;
  algorithm?: 'sha256' | 'sha512' | 'sha1';
  encoding?: 'hex' | 'base64';
  /** Text before each signature, for example `sha256=`. */
  prefix?: string;
  /** How the bytes of an HMAC's key are written. */
  key?: 'text' | 'base64' | 'hex';
  /** Where the time of signing is: a header, or a place in the body. */
  timestamp_header?: string;
  timestamp_pointer?: string;
  /** The name of its entry beside the signatures: `t` in `t=1700000000,v1=…`; `first` where it comes first without one. */
  timestamp_entry?: string;
  timestamp_unit?: 's' | 'ms' | 'iso';
  tolerance_seconds?: number;
  /** A template. Default: `{body}`, or `{timestamp}.{body}` where a time is signed. */
  signed_text?: string;
  /** Claim of a JWT that holds the body's SHA-256. */
  body_hash_claim?: string;
  /** Query parameter with the hex SHA-256 of a body that is no form. */
  body_hash_query?: string;
  /** Fields of the credential; two may be set during a rotation. */
  secret_fields: string[];
}

export const isJwt = (scheme: SignatureSchemeName): boolean => scheme.startsWith('jwt-');

/** Whether the scheme compares what came with what is set, and signs nothing. */
export const isShared = (scheme: SignatureSchemeName): boolean => scheme === 'secret' || scheme === 'basic';

/** Whether a time is signed: a request is then valid only for as long as the tolerance allows. */
export function signsTime(declared: Omit<SignatureScheme, 'secret_fields'>): boolean {
  const { scheme, timestamp_header: header, timestamp_pointer: pointer, timestamp_entry: entry } = declared;
  if (scheme === 'standard-webhooks') return true;
  return !isJwt(scheme) && !isShared(scheme) && [header, pointer, entry].some((place) => place !== undefined);
}

/** The header that carries the proof, unless it is elsewhere. */
export function headerOf({ scheme, header, query, pointer }: Omit<SignatureScheme, 'secret_fields'>): string | null {
  if (query !== undefined || pointer !== undefined) return null;
  if (header !== undefined) return header.toLowerCase();
  if (scheme === 'standard-webhooks') return 'webhook-signature';
  return isJwt(scheme) || scheme === 'basic' ? 'authorization' : 'x-signature-256';
}

/** The name of a sibling header of Standard Webhooks: `svix-id` beside `svix-signature`. */
export const siblingOf = (header: string, name: 'id' | 'timestamp'): string => header.replace(/signature$/, name);

/** @throws Error for a template that nothing can be made of; who stores it has refused it before */
export function signedTextOf(declared: SignatureScheme): ValueTemplate {
  const { scheme, signed_text: text } = declared;
  const normal = signsTime(declared) ? '{timestamp}.{body}' : '{body}';
  const header = headerOf(declared) ?? '';
  const template = scheme === 'standard-webhooks' ? `{header:${siblingOf(header, 'id')}}.${normal}` : (text ?? normal);
  const parsed = parseTemplate(template);
  if (parsed === null) throw new Error(`signed_text is not a template: ${template}`);
  return parsed;
}

/** What is wrong with a scheme as a whole, for whoever declares it; null when nothing is. */
export function schemeProblem(declared: Omit<SignatureScheme, 'secret_fields'>): string | null {
  const { scheme, signed_text: text, header, query, pointer } = declared;
  if ([header, query, pointer].filter((place) => place !== undefined).length > 1)
    return 'the signature is in one of header, query and pointer';
  const times = [declared.timestamp_header, declared.timestamp_pointer, declared.timestamp_entry];
  if (times.filter((place) => place !== undefined).length > 1)
    return 'the time is in one of timestamp_header, timestamp_pointer and timestamp_entry';
  const signs = !isJwt(scheme) && !isShared(scheme) && scheme !== 'standard-webhooks';
  if (!signs && (text !== undefined || times.some((place) => place !== undefined)))
    return `signed_text and the place of the time are not for ${scheme}, which has its own`;
  if (scheme === 'standard-webhooks' && !headerOf(declared)?.endsWith('signature'))
    return 'the header of standard-webhooks ends with signature: id and time are in the ones beside it';
  if (declared.tolerance_seconds !== undefined && signs && !signsTime(declared))
    return 'tolerance_seconds needs a time: give timestamp_header, timestamp_pointer or timestamp_entry';
  return text === undefined
    ? null
    : signedTextProblem(text, signsTime(declared), declared.timestamp_header !== undefined);
}

/** @param inHeader a list of signed headers may have the time, then; each request is looked at */
function signedTextProblem(text: string, timed: boolean, inHeader: boolean): string | null {
  const template = parseTemplate(text);
  if (template === null)
    return 'signed_text may name {body}, {timestamp}, {url}, {uri}, {method}, {path}, {params}, {header:NAME}, {headers:NAME}, {query:NAME} and {/POINTER}, each in braces';
  const names = template.flatMap((part) => (typeof part === 'string' ? [] : [part.name]));
  if (names.includes('present')) return 'signed_text must not ask whether a value is there';
  if (names.filter((name) => name === 'body').length > 1) return 'signed_text contains {body} once';
  if (!names.some((name) => ['body', 'params', 'pointer'].includes(name)))
    return 'signed_text must contain {body}, {params} or a value of the body: else anybody could change it';
  const time = names.filter((name) => name === 'timestamp').length;
  if (time > 1) return 'signed_text contains {timestamp} once';
  if (time > 0 && !timed)
    return '{timestamp} in signed_text needs a time: give timestamp_header, timestamp_pointer or timestamp_entry';
  const listed = inHeader && names.includes('headers');
  if (timed && time === 0 && !listed)
    return 'signed_text must contain {timestamp}: a time that is not signed can be changed';
  return null;
}
