import { removing, replacing } from './rule.js';

/** Marks, embeddings, overrides and isolates (UAX #9): text that reads otherwise than it is written. */
export const bidiControls = removing('bidi_controls', /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu);

/** Unicode tags spell invisible ASCII. The three registered subdivision flags (England, Scotland, Wales) stay. */
export const tagCharacters = replacing(
  'tag_characters',
  /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}|[\u{E0000}-\u{E007F}]+/gu,
  (match) => (match.startsWith('\u{1F3F4}') ? match : ''),
);

/**
 * Characters that show nothing: zero-width spaces, soft hyphens, invisible operators, Hangul and Khmer fillers,
 * annotation and musical controls, non-characters, and the rest of the default-ignorable range.
 */
export const invisibleCharacters = removing(
  'invisible_characters',
  /(?:\u034F|\u17B4|\u17B5|[\u00AD\u115F\u1160\u180E\u200B\u2060-\u2065\u206A-\u206F\u3164\uFEFF\uFFA0\uFFF0-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0080}-\u{E00FF}\u{E01F0}-\u{E0FFF}\p{Noncharacter_Code_Point}])+/gu,
);
