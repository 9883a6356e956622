import { type JsonValue, sanitizeValue, type SanitizerReport } from '#libs/sanitizer';

/** Far beyond what a model is shown: a bound on the work, for results that are mostly structure. */
const shape = { maxDepth: 64, maxEntries: 100_000 };

/**
 * What somebody outside wrote, as the model and the people who look at the turn may read it.
 * @param maxChars of each text: what is kept of a result at all
 */
export function cleanResult(result: unknown, maxChars: number): { result: JsonValue; sanitized: Sanitized | null } {
  const { value, report } = sanitizeValue(result, { ...shape, maxChars, maxLines: maxChars });
  const { counts, cut } = report;
  return { result: value, sanitized: cut > 0 || Object.keys(counts).length > 0 ? { counts, cut } : null };
}

/** How often each rule acted, and how many characters or entries were cut. */
type Sanitized = Pick<SanitizerReport, 'counts' | 'cut'>;
