/**
 * JSON for a `jsonb` value. Postgres refuses NUL and lone surrogates in it, and models and servers do send them. They
 * become U+FFFD, so that one bad character does not stop a turn for good.
 */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\u0000') && !json.includes('\\ud')) return json;
  // JSON.stringify writes pairs as they are: an escaped surrogate is a lone one. The first branch skips escaped
  // backslashes.
  return json.replace(/\\\\|\\u(?:0000|d[89a-f][0-9a-f]{2})/g, (escape) => (escape === '\\\\' ? escape : '\ufffd'));
}
