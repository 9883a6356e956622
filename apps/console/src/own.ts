/**
 * What a record has under a key that others gave: a code, a name in a schema. `constructor` and `__proto__` are keys
 * like any other, and a record without them has nothing there.
 */
export const own = <Value>(of: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(of, key) ? of[key] : undefined;
