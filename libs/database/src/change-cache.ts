import type { ChangeListener } from './change-listener.js';

export interface ChangeCacheOptions {
  /** What changes are told as. */
  topic: string;
  /** Values at most; beyond it all are dropped. */
  maxKept: number;
  /** How long a value is kept while changes are heard of: a bound for what no trigger tells. */
  keptMs: number;
  /** How long it is kept while they are not; 0: not at all. */
  unheardMs: number;
}

interface Kept<V> {
  value: Promise<V>;
  readAtMs: number;
}

/**
 * What is read again when it has changed, and not before, as long as this process hears of changes. A value stands in it
 * from when its reading begins: a change that is heard of meanwhile drops it, so that what the reading may have missed is
 * given to nobody after.
 */
export class ChangeCache<V> {
  /** By the key that changes are told by, then by what was asked. */
  private readonly kept = new Map<string, Map<string, Kept<V>>>();
  private size = 0;

  constructor(
    private readonly changes: Pick<ChangeListener, 'listening' | 'on'>,
    private readonly options: ChangeCacheOptions,
  ) {
    changes.on(options.topic, (key) => this.forget(key || null));
  }

  /** @param asked what of it, where a key has several values */
  get(key: string, read: () => Promise<V>, asked = ''): Promise<V> {
    return this.known(key, asked) ?? this.renew(key, read, asked);
  }

  /** Reads it, whatever is kept. */
  renew(key: string, read: () => Promise<V>, asked = ''): Promise<V> {
    const entry = { value: read(), readAtMs: Date.now() };
    if (this.size >= this.options.maxKept) this.forget(null);
    const values = this.kept.get(key) ?? new Map<string, Kept<V>>();
    if (!values.has(asked)) this.size += 1;
    this.kept.set(key, values.set(asked, entry));
    entry.value.catch(() => {
      if (this.kept.get(key)?.get(asked) === entry) this.drop(key, asked);
    });
    return entry.value;
  }

  /** Drops one value, such as one that is not worth keeping. */
  drop(key: string, asked = ''): void {
    if (this.kept.get(key)?.delete(asked)) this.size -= 1;
  }

  /** @param key null for everything */
  forget(key: string | null): void {
    if (key === null) {
      this.kept.clear();
      this.size = 0;
      return;
    }
    this.size -= this.kept.get(key)?.size ?? 0;
    this.kept.delete(key);
  }

  private known(key: string, asked: string): Promise<V> | null {
    const entry = this.kept.get(key)?.get(asked);
    if (!entry) return null;
    const { keptMs, unheardMs } = this.options;
    return Date.now() - entry.readAtMs < (this.changes.listening ? keptMs : unheardMs) ? entry.value : null;
  }
}
