import { removing, replacing } from './rule.js';

/** Half a character: PostgreSQL refuses it, and decoders disagree about it. */
export const loneSurrogates = replacing('lone_surrogates', /\p{Cs}/gu, () => '\uFFFD');

/**
 * Terminal sequences (ECMA-48), removed before control characters: without their ESC, their parameters would remain as
 * text. Strings (OSC, DCS, SOS, PM, APC) end at ST or BEL; an unterminated one loses only its introducer. Every part
 * stops at the next ESC, so the search is linear.
 */
export const escapeSequences = removing(
  'escape_sequences',
  // oxlint-disable-next-line no-control-regex
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])(?:[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c))?|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]/g,
);

/** CRLF, CR, NEL, LS and PS are one line end; so are vertical tab and form feed, which end a line or a page. */
// oxlint-disable-next-line no-control-regex
export const lineEnds = replacing('line_ends', /\r\n?|[\x0b\f\u0085\u2028\u2029]/g, () => '\n');

/** C0 without tab and LF, DEL, C1. */
export const controlCharacters = removing(
  'control_characters',
  // oxlint-disable-next-line no-control-regex
  /[\0-\x08\x0b-\x1f\x7f-\x9f]+/g,
);
