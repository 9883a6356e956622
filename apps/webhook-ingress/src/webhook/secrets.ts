import type { ServiceClient } from '#libs/service-kit';
import type { Endpoint } from '#libs/contracts';
import { Inject, Injectable } from '@nestjs/common';

export const vaultClient = Symbol('vaultClient');

const freshMs = 10_000;
/** With the vault away, what it last said is good for this long. */
const staleMs = 600_000;
const maxCached = 10_000;

interface Cached {
  /** A list where several values are valid, during a rotation. */
  fields: Record<string, string | string[]>;
  readAtMs: number;
}

/** Signing secrets of endpoints, asked of the vault and kept in memory for some seconds. */
@Injectable()
export class Secrets {
  private readonly cache = new Map<string, Cached>();
  private readonly asking = new Map<string, Promise<Cached>>();

  constructor(@Inject(vaultClient) private readonly vault: ServiceClient) {}

  /** The values of the named fields that are set. @throws Problem as `fields` */
  async of(endpoint: Endpoint, names: string[]): Promise<string[]> {
    const fields = await this.fields(endpoint);
    return names.flatMap((name) => fields[name] ?? []).filter((value) => value !== '');
  }

  /**
   * All fields of the endpoint's credential; none when it has no credential.
   * @throws Problem when the vault does not answer and nothing recent is known
   */
  async fields(endpoint: Endpoint): Promise<Cached['fields']> {
    if (!endpoint.credential_id) return {};
    const known = this.cache.get(endpoint.credential_id);
    const ageMs = known ? Date.now() - known.readAtMs : Number.POSITIVE_INFINITY;
    let current = known;
    if (ageMs > freshMs) {
      try {
        current = await this.ask(endpoint, endpoint.credential_id);
      } catch (error) {
        if (!known || ageMs > staleMs) throw error;
      }
    }
    return current?.fields ?? {};
  }

  private ask(endpoint: Endpoint, credentialId: string): Promise<Cached> {
    let asking = this.asking.get(credentialId);
    if (!asking) {
      asking = this.read(endpoint, credentialId).finally(() => this.asking.delete(credentialId));
      this.asking.set(credentialId, asking);
    }
    return asking;
  }

  private async read(endpoint: Endpoint, credentialId: string): Promise<Cached> {
    const { fields } = await this.vault.post<Pick<Cached, 'fields'>>(
      '/internal/credentials/resolve',
      { organizationId: endpoint.organization_id, projectId: endpoint.project_id },
      { credential_id: credentialId },
    );
    if (this.cache.size >= maxCached) this.cache.clear();
    const cached = { fields, readAtMs: Date.now() };
    this.cache.set(credentialId, cached);
    return cached;
  }
}
