import type { ChangeListener } from './change-listener.js';

export interface ChangeCacheOptions {
  /** The topic under which changes are announced. */
  topic: string;
  /** Most values kept; beyond that, all are dropped. */
  maxKept: number;
  /** How long a value is kept while changes are heard: a bound for what no trigger announces. */
  keptMs: number;
  /** How long it is kept while they are not; 0: not at all. */
  unheardMs: number;
}

interface Kept<V> {
  value: Promise<V>;
  readAtMs: number;
}

/**
 * Caches values until they change, as long as this process hears of changes. A value is stored when its read starts, so
 * a change that is heard during the read drops it. No later caller then gets a value that may have missed the change.
 */
export class ChangeCache<V> {
  /** By the key of the announced changes, then by what was asked. */
  private readonly kept = new Map<string, Map<string, Kept<V>>>();
  private size = 0;

  constructor(
    private readonly changes: Pick<ChangeListener, 'listening' | 'on'>,
    private readonly options: ChangeCacheOptions,
  ) {
    changes.on(options.topic, (key) => this.forget(key || null));
  }

  /** @param asked which value, where a key has several */
  get(key: string, read: () => Promise<V>, asked = ''): Promise<V> {
    return this.known(key, asked) ?? this.renew(key, read, asked);
  }

  /** Reads it, whatever is cached. */
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

  /** Drops one value, for example one not worth keeping. */
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
