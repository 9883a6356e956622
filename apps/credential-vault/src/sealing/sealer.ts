import { randomBytes } from 'node:crypto';
import { open, seal } from './aead.js';
import { associatedData, dekPlace } from './associated-data.js';
import type { KeyBackend } from './kek-ring.js';
import { Secret } from './secret.js';

/** Where a sealed value belongs. It opens nowhere else. */
export interface SealingPlace {
  organizationId: string;
  credentialId: string;
  type: string;
  generation: number;
}

export interface SealedFields {
  kid: string;
  wrappedDek: Buffer;
  fields: Map<string, Buffer>;
}

const dekBytes = 32;

/** Envelope encryption of a credential: its data key, which a KEK wraps, seals each field separately. */
export class Sealer {
  constructor(
    private readonly keys: KeyBackend,
    private readonly deks: DekCache,
  ) {}

  /** Seals all fields under a new data key, wrapped by the primary KEK. */
  async seal(place: SealingPlace, fields: ReadonlyMap<string, Secret>): Promise<SealedFields> {
    return (await this.prepare(place))(fields);
  }

  /**
   * Does the part of sealing that may fail because a key service is away. What is sealed afterwards has no second
   * chance.
   * @returns seals once, without calling a key service
   */
  async prepare(place: SealingPlace): Promise<(fields: ReadonlyMap<string, Secret>) => SealedFields> {
    const kid = this.keys.primary;
    const dek = randomBytes(dekBytes);
    const wrappedDek = await this.keys.wrap(kid, dek, dekPlace(kid, place));
    return (fields) => {
      const sealed = new Map<string, Buffer>();
      for (const [name, secret] of fields) {
        sealed.set(name, seal(dek, Buffer.from(secret.reveal(), 'utf8'), fieldPlace(place, name)));
      }
      dek.fill(0);
      return { kid, wrappedDek, fields: sealed };
    };
  }

  /** @throws DoesNotOpen when a field or the data key was not sealed for this place */
  async open(place: SealingPlace, sealed: SealedFields): Promise<Map<string, Secret>> {
    const dek = await this.dek(place, sealed);
    const opened = new Map<string, Secret>();
    for (const [name, bytes] of sealed.fields) {
      opened.set(name, new Secret(open(dek, bytes, fieldPlace(place, name)).toString('utf8')));
    }
    return opened;
  }

  private async dek(place: SealingPlace, { kid, wrappedDek }: SealedFields): Promise<Buffer> {
    const aad = dekPlace(kid, place);
    // The place is part of the id, so that a wrapped key that was moved to another row is not served from the cache
    // either.
    const id = `${aad.toString('base64')}.${wrappedDek.toString('base64')}`;
    const cached = this.deks.get(id);
    if (cached) return cached;
    const dek = await this.keys.unwrap(kid, wrappedDek, aad);
    this.deks.set(id, dek);
    return dek;
  }
}

/**
 * Caches unwrapped data keys briefly: with a remote key backend, unwrapping is a network call. A dropped key is not
 * overwritten, since a caller may be about to use it.
 */
export class DekCache {
  private readonly entries = new Map<string, { dek: Buffer; untilMs: number }>();

  constructor(
    private readonly lifetimeMs: number,
    private readonly maxEntries: number,
  ) {}

  get(id: string): Buffer | null {
    const entry = this.entries.get(id);
    if (!entry) return null;
    if (entry.untilMs > Date.now()) return entry.dek;
    this.entries.delete(id);
    return null;
  }

  set(id: string, dek: Buffer): void {
    // Insertion order is age: the oldest entry is evicted.
    for (const oldest of this.entries.keys()) {
      if (this.entries.size < this.maxEntries) break;
      this.entries.delete(oldest);
    }
    this.entries.set(id, { dek, untilMs: Date.now() + this.lifetimeMs });
  }
}

function fieldPlace(place: SealingPlace, field: string): Buffer {
  const { organizationId, credentialId, type, generation } = place;
  return associatedData(['vault-field', 'v1', organizationId, credentialId, field, type, generation]);
}
