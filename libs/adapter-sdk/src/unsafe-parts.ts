import { codeLinksIn, runsCode } from './code-links.js';
import type { FieldProblem } from './typed-field.js';

/** Own to every object: code that looks a name up would find these. */
const inheritedNames = new Set(['__proto__', 'constructor', 'prototype']);
/** Fields whose value names a field of another object. */
const namesAField = /^(?:maps_to|key|field|fields|secret_fields|as)$/;
/** Fields whose value is an address that a browser may open or load. */
const isAddressField =
  /(?:url|uri|href|src|link|icon|image|logo|avatar|website|homepage|issuer|endpoint|redirect|callback|address|return_to)s?$/i;
/** Texts that people read as markdown: links in them are opened by a click. */
const isShownText = /^(?:setup_instructions|description|label|knowledge)$/;
/** Payloads of others: they are called or sent with, and never looked up or opened. */
const isPayload = /^(?:arguments|sample|sample_headers)$/;

const maxNamed = 10;
const maxPlaceChars = 300;

/** A value and the way to it. Its place is written only where something is wrong there: ways may be long. */
interface Part {
  value: unknown;
  /** The field that has it, or that has the list that it is in. */
  name: string;
  key: string;
  of: Part | null;
}

/**
 * What in a JSON value must not be kept: names that every object has, and addresses that would run code in the browser of
 * whoever opens them. Field by field, with the reason; no value is repeated. Without recursion: it may be nested deeply.
 */
export function unsafeParts(value: unknown): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const open: Part[] = [{ value, name: '', key: '', of: null }];
  for (let next = open.pop(); next && problems.length < maxNamed; next = open.pop()) {
    const { value: given, name } = next;
    const message = typeof given === 'string' ? unsafeText(name, given) : null;
    if (message !== null) problems.push({ field: placeOf(next), message });
    if (typeof given !== 'object' || given === null || ArrayBuffer.isView(given)) continue;
    const isList = Array.isArray(given);
    for (const [key, entry] of Object.entries(given).toReversed()) {
      const part = { value: entry, name: isList ? name : key, key, of: next };
      if (!isList && inheritedNames.has(key)) problems.push({ field: placeOf(part), message: nameProblem(key) });
      else if (isList || !isPayload.test(key)) open.push(part);
    }
  }
  return problems.slice(0, maxNamed);
}

/** Its fields from the outside: `links[0].url`. */
function placeOf(part: Part): string {
  const steps: string[] = [];
  for (let at = part; at.of; at = at.of) steps.push(Array.isArray(at.of.value) ? `[${at.key}]` : `.${at.key}`);
  const place = steps.toReversed().join('').replace(/^\./, '');
  return place.length > maxPlaceChars ? `${place.slice(0, maxPlaceChars).toWellFormed()}…` : place;
}

function unsafeText(name: string, text: string): string | null {
  if (namesAField.test(name) && inheritedNames.has(text.trim())) return nameProblem(text.trim());
  const isAddress = isAddressField.test(name) || (name === 'setup_instructions' && !/\s/.test(text.trim()));
  if (isAddress && runsCode(asBrowsersRead(text))) return addressProblem;
  const hasLink = isShownText.test(name) && !codeLinksIn(text).next().done;
  return hasLink ? `has a link that ${addressProblem}` : null;
}

const addressProblem =
  'must not be an address that runs or contains code or opens a local file (javascript:, data:, vbscript:, file: …): give an https address';

function nameProblem(name: string): string {
  return `must not be named ${name}: every object has that name of its own. Choose another one`;
}

/** Browsers leave out spaces and control characters before the scheme, and tabs and line breaks inside it. */
function asBrowsersRead(text: string): string {
  return decoded(text).replaceAll(/[\p{Cc}\p{Cf}\p{Z}]/gu, '');
}

/** A page may decode references before it reads the address. */
function decoded(text: string): string {
  return text
    .replaceAll(/&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));?/gi, (whole, hex?: string, decimal?: string) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    })
    .replaceAll(/&colon;?/gi, ':')
    .replaceAll(/&(?:tab|newline);?/gi, '');
}
