/** Digits or an exponent that a double may not hold: most bodies have neither, and are parsed at full speed. */
const suspicious = /[\d.]{16}|\d[eE]/;

/**
 * JSON as JavaScript values, in which a number that a double would change is its digits, as text:
 * `12345678901234567890` stays readable and comparable, where it would become another number. `1.10` is the number 1.1.
 * @throws SyntaxError
 */
export function parseKeepingNumbers(text: string): unknown {
  if (!suspicious.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    const source = typeof value === 'number' ? context?.source : undefined;
    return source === undefined || isSame(value as number, source) ? value : source;
  });
}

/** Whether the shortest text of a double and what was written are the same number. */
function isSame(value: number, source: string): boolean {
  return Number.isFinite(value) && normal(String(value)) === normal(source);
}

/** The significant digits of a decimal number, its sign and its exponent. */
function normal(decimal: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(decimal) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
