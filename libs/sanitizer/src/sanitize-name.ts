import { emptyReport } from './report.js';
import { characterRules, nfc } from './rules/characters.js';
import { removing, type Rule } from './rules/rule.js';
import { untilSettled } from './settle.js';

/** A name stands alone, isolated from what is beside it: it needs no mark to keep its place, as a line of text may. */
const directionMarks = removing('bidi_controls', /[\u061C\u200E\u200F]+/g);
const rules: readonly Rule[] = [...characterRules, directionMarks, nfc];
/** Names are far shorter. Whoever accepts names refuses longer ones. */
const longest = 4_096;
const printable = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

/**
 * A name as it is saved, of an agent, a person or anything else: one line with what people see, and no more. Characters
 * that show nothing, control characters and those that change the direction are dropped, and white space becomes one
 * space, none at the ends. Empty if nothing of it shows. Markup stays, because it is a name's own text.
 */
export function sanitizeName(name: string): string {
  const read = name.slice(0, longest);
  if (printable.test(read)) return read;
  const report = emptyReport();
  const settled = untilSettled(read, report, (text) => rules.reduce((current, rule) => rule.apply(current).text, text));
  return report.settled ? settled.replaceAll(/\s+/g, ' ').trim() : '';
}
