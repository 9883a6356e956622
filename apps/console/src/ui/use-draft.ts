import { useState } from 'react';

export interface Draft<Value extends object> {
  /** The saved value with the changes made here. */
  value: Value;
  /** Only the changes. */
  change: Partial<Value>;
  changed: boolean;
  /** Of the data read before the first change: anything saved since is a conflict. */
  etag: string | null;
  set: (patch: Partial<Value>) => void;
  discard: () => void;
}

/** A form over saved data. Changes are kept apart, so that only they are sent. */
export function useDraft<Value extends object>(saved: Value, etag: string | null = null): Draft<Value> {
  const [typed, setTyped] = useState<{ values: Partial<Value>; etag: string | null }>();
  const values = typed?.values ?? {};
  const names = Object.keys(values) as (keyof Value)[];
  const differing = names.filter((name) => JSON.stringify(typed?.values[name]) !== JSON.stringify(saved[name]));
  const change = Object.fromEntries(differing.map((name) => [name, typed?.values[name]])) as Partial<Value>;
  return {
    value: { ...saved, ...change },
    change,
    changed: differing.length > 0,
    etag: typed ? typed.etag : etag,
    set: (patch) =>
      setTyped((before) => ({ values: { ...before?.values, ...patch } as Partial<Value>, etag: before?.etag ?? etag })),
    discard: () => setTyped(undefined),
  };
}
