/** JSON that jsonb takes: PostgreSQL has no U+0000 in text, and refuses lone surrogates. */
export function storable(value: unknown): string {
  const json = JSON.stringify(value);
  return /\\u0000|\\ud[89a-f]/i.test(json) ? JSON.stringify(value, (_key, entry: unknown) => cleaned(entry)) : json;
}

function cleaned(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD').toWellFormed() : value;
}
