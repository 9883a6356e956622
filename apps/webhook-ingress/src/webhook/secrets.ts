import type { ServiceClient } from '#libs/service-kit';
import { type Endpoint, mapCredentials, type MappedCredentials, type OpenedCredential } from '#libs/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { VAULT } from '../services.js';

const freshMs = 10_000;
/** While the vault is unavailable, its last answer is used for this long. */
const staleMs = 600_000;
const maxCached = 10_000;

interface Cached {
  endpoint: Endpoint;
  fields: MappedCredentials;
  readAtMs: number;
}

/** Signing secrets of endpoints, read from the vault and kept in memory for some seconds. */
@Injectable()
export class Secrets {
  /** By App: its bindings decide which fields it gets. */
  private readonly cache = new Map<string, Cached>();
  private readonly asking = new Map<Endpoint, Promise<Cached>>();

  constructor(@Inject(VAULT) private readonly vault: ServiceClient) {}

  /**
   * The fields of all records of the endpoint, under the names that its adapter knows (none where nothing is linked);
   * null when the vault has to be asked.
   */
  known(endpoint: Endpoint): MappedCredentials | null {
    if (endpoint.credentials.length === 0) return {};
    const cached = this.cache.get(endpoint.app_id);
    return cached && cached.endpoint === endpoint && isYoung(cached, freshMs) ? cached.fields : null;
  }

  /**
   * As `known`, but asks the vault when needed.
   * @throws Problem when the vault does not answer and nothing recent is cached
   */
  async fields(endpoint: Endpoint): Promise<MappedCredentials> {
    const known = this.known(endpoint);
    if (known) return known;
    const stale = this.cache.get(endpoint.app_id);
    try {
      return (await this.ask(endpoint)).fields;
    } catch (error) {
      if (!stale || !isYoung(stale, staleMs) || !sameRecords(stale.endpoint, endpoint)) throw error;
      return stale.fields;
    }
  }

  private ask(endpoint: Endpoint): Promise<Cached> {
    let asking = this.asking.get(endpoint);
    if (!asking) {
      asking = this.read(endpoint).finally(() => this.asking.delete(endpoint));
      this.asking.set(endpoint, asking);
    }
    return asking;
  }

  private async read(endpoint: Endpoint): Promise<Cached> {
    const ids = [...new Set(endpoint.credentials.map(({ credential_id: id }) => id))];
    const records = await Promise.all(ids.map(async (id) => [id, await this.resolve(endpoint, id)] as const));
    if (this.cache.size >= maxCached) this.cache.clear();
    const fields = mapCredentials(endpoint.credentials, new Map(records));
    const cached = { endpoint, fields, readAtMs: Date.now() };
    this.cache.set(endpoint.app_id, cached);
    return cached;
  }

  private resolve(endpoint: Endpoint, credentialId: string): Promise<OpenedCredential> {
    return this.vault.post(
      '/internal/credentials/resolve',
      { organizationId: endpoint.organization_id, projectId: endpoint.project_id },
      { credential_id: credentialId, consumer: { kind: 'app', id: endpoint.app_id } },
    );
  }
}

function isYoung({ readAtMs }: Cached, maxAgeMs: number): boolean {
  return Date.now() - readAtMs <= maxAgeMs;
}

function sameRecords(before: Endpoint, now: Endpoint): boolean {
  return JSON.stringify(before.credentials) === JSON.stringify(now.credentials);
}
