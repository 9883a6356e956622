/** Digits or an exponent that a double may not hold. Most bodies have neither and are parsed at full speed. */
const suspicious = /[\d.]{16}|\d[eE]/;

/**
 * Parses JSON. A number that a double would change becomes its digits as text: `12345678901234567890` stays readable
 * and comparable instead of turning into another number. `1.10` is the number 1.1.
 * @throws SyntaxError
 */
export function parseKeepingNumbers(text: string): unknown {
  if (!suspicious.test(text)) return JSON.parse(text);
  try {
    return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
      const source = typeof value === 'number' ? context?.source : undefined;
      return source === undefined || isSame(value as number, source) ? value : source;
    });
  } catch (error) {
    // The walk over the values is recursive, parsing is not: whoever bounds the depth gets the value all the same.
    if (error instanceof RangeError) return JSON.parse(text);
    throw error;
  }
}

/** A whole number as its decimal digits, never with an exponent; any other value as it is. */
export function wholeNumberAsText(value: unknown): unknown {
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value).toString() : value;
}

/** Whether a double's shortest text and the source text are the same number. */
function isSame(value: number, source: string): boolean {
  return Number.isFinite(value) && normal(String(value)) === normal(source);
}

/** A decimal number as its sign, significant digits and exponent. */
function normal(decimal: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(decimal) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
