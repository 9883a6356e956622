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
  /**
   * When a value cannot be read again: which errors say nothing about it, and how old it may then get; `unheard`: also
   * while changes are not heard.
   */
  outage?: { is: (error: unknown) => boolean; keptMs: number; unheard?: boolean };
}

interface Kept<V> {
  value: Promise<V>;
  /** Once it is read. */
  known?: { value: V };
  readAtMs: number;
  /** Since when a newer one cannot be read. */
  triedAtMs: number;
}

/** A change that is heard during a read has it read again, so often at most. */
const maxReads = 3;
/** During an outage a read is tried this often. */
const tryEveryMs = 1_000;

/**
 * Caches values until they change, as long as this process hears of changes. A value is stored when its read starts, so
 * a change that is heard during the read drops it. No later caller then gets a value that may have missed the change.
 */
export class ChangeCache<V> {
  /** By the key of the announced changes, then by what was asked. */
  private readonly kept = new Map<string, Map<string, Kept<V>>>();
  /** What was known before a read that has not ended well, for an outage of both what is read and what tells of changes. */
  private readonly aged = new Map<string, Kept<V>>();
  private size = 0;

  constructor(
    private readonly changes: Pick<ChangeListener, 'listening' | 'on'>,
    private readonly options: ChangeCacheOptions,
  ) {
    changes.on(options.topic, (key) => this.forget(key || null));
  }

  /** @param asked which value, where a key has several */
  get(key: string, read: () => Promise<V>, asked = ''): Promise<V> {
    return this.young(key, asked)?.value ?? this.renew(key, read, asked);
  }

  /** As `get`, but a value that changed while it was read is read again. */
  async current(key: string, read: () => Promise<V>, asked = ''): Promise<V> {
    for (let reads = 1; ; reads += 1) {
      const entry = this.young(key, asked) ?? this.start(key, read, asked);
      const value = await entry.value;
      const dropped = this.changes.listening && this.kept.get(key)?.get(asked) !== entry;
      if (!dropped || reads >= maxReads || this.kept.get(key)?.get(asked)?.known?.value === value) return value;
    }
  }

  /** The value, where it is known without a read. */
  known(key: string, asked = ''): V | undefined {
    return this.young(key, asked)?.known?.value;
  }

  /** How long ago its last read began; infinite where nothing is cached. */
  ageMs(key: string, asked = ''): number {
    const entry = this.kept.get(key)?.get(asked);
    return entry ? Date.now() - Math.max(entry.readAtMs, entry.triedAtMs) : Number.POSITIVE_INFINITY;
  }

  /** Reads it, whatever is cached. */
  renew(key: string, read: () => Promise<V>, asked = ''): Promise<V> {
    return this.start(key, read, asked).value;
  }

  /** Drops one value, for example one not worth keeping. */
  drop(key: string, asked = ''): void {
    if (this.kept.get(key)?.delete(asked)) this.size -= 1;
  }

  /** @param key null for everything */
  forget(key: string | null): void {
    if (key === null) {
      this.age();
      this.kept.clear();
      this.size = 0;
      return;
    }
    for (const name of this.aged.keys()) if (name.startsWith(agedName(key, ''))) this.aged.delete(name);
    this.size -= this.kept.get(key)?.size ?? 0;
    this.kept.delete(key);
  }

  private age(): void {
    if (!this.options.outage?.unheard) return;
    for (const [key, values] of this.kept) {
      for (const [asked, entry] of values) if (entry.known) this.aged.set(agedName(key, asked), entry);
    }
    for (const [name, entry] of this.aged) {
      const isOver = Date.now() - entry.readAtMs > this.options.outage.keptMs;
      if (isOver || this.aged.size > this.options.maxKept) this.aged.delete(name);
      // The next one asks again: it may work by now.
      else this.aged.set(name, { ...entry, triedAtMs: 0 });
    }
  }

  private start(key: string, read: () => Promise<V>, asked: string): Kept<V> {
    const before = this.kept.get(key)?.get(asked);
    const entry: Kept<V> = { value: read(), readAtMs: Date.now(), triedAtMs: 0 };
    entry.value = entry.value.then(
      (value) => {
        entry.known = { value };
        const name = agedName(key, asked);
        if (this.kept.get(key)?.get(asked) === entry) this.aged.delete(name);
        // A read that began later may fail. Where a change was heard since, there is none to replace.
        else if (this.aged.has(name)) this.aged.set(name, entry);
        return value;
      },
      (error: unknown) => this.failed(error, { key, asked, entry, before }),
    );
    if (this.size >= this.options.maxKept) this.forget(null);
    // Reads that take long replace each other, and each of them may be the one that fails.
    if (before?.known && this.options.outage?.unheard) this.aged.set(agedName(key, asked), before);
    this.put(key, asked, entry);
    return entry;
  }

  private put(key: string, asked: string, entry: Kept<V>): void {
    const values = this.kept.get(key) ?? new Map<string, Kept<V>>();
    if (!values.has(asked)) this.size += 1;
    this.kept.set(key, values.set(asked, entry));
  }

  /** The value before, where the error says nothing about it and no change was heard since it was read. */
  private failed(
    error: unknown,
    { key, asked, entry, before }: { key: string; asked: string; entry: Kept<V>; before: Kept<V> | undefined },
  ): V {
    const newest = this.kept.get(key)?.get(asked);
    const isKept = newest === entry;
    const { outage } = this.options;
    const name = agedName(key, asked);
    // A read that began later may have found it by now.
    const found = isKept ? before : newest;
    const last = found?.known ? found : this.aged.get(name);
    const counts = outage?.unheard || (isKept && this.changes.listening);
    if (last?.known && counts && outage?.is(error) && Date.now() - last.readAtMs <= outage.keptMs) {
      const tried = { ...last, triedAtMs: Date.now() };
      if (outage.unheard && last !== newest) this.aged.set(name, tried);
      if (isKept) this.put(key, asked, tried);
      return last.known.value;
    }
    if (isKept) this.drop(key, asked);
    throw error;
  }

  private young(key: string, asked: string): Kept<V> | null {
    const entry = this.kept.get(key)?.get(asked);
    const now = Date.now();
    // Whoever comes during an outage does not wait for a read that may take as long as the one that has just failed.
    const last = entry?.known ? undefined : this.aged.get(agedName(key, asked));
    if (last && now - last.triedAtMs < tryEveryMs) return last;
    if (!entry) return null;
    const { keptMs, unheardMs } = this.options;
    const isYoung = now - entry.readAtMs < (this.changes.listening ? keptMs : unheardMs);
    return isYoung || now - entry.triedAtMs < tryEveryMs ? entry : null;
  }
}

const agedName = (key: string, asked: string): string => `${key} ${asked}`;
