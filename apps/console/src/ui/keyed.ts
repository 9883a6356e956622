/**
 * Rows without an id, each with a key of what it says: it stays the same when others come before it, so nothing jumps
 * or closes. Equal rows are counted, since a key may stand once.
 */
export function keyed<Row>(rows: readonly Row[], keyOf: (row: Row) => string): { key: string; row: Row }[] {
  const seen = new Map<string, number>();
  return rows.map((row) => {
    const key = keyOf(row);
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    return { key: before === 0 ? key : `${key}-${before}`, row };
  });
}
