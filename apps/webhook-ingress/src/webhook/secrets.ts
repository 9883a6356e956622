import type { ServiceClient } from '#libs/service-kit';
import type { Endpoint } from '#libs/contracts';
import { Inject, Injectable } from '@nestjs/common';

export const vaultClient = Symbol('vaultClient');

const freshMs = 10_000;
/** With the vault away, what it last said is good for this long. */
const staleMs = 600_000;
const maxCached = 10_000;

/** By name; a list where several values are valid, during a rotation. */
export type SecretFields = Record<string, string | string[]>;

interface Cached {
  fields: SecretFields;
  readAtMs: number;
}

/** Signing secrets of endpoints, asked of the vault and kept in memory for some seconds. */
@Injectable()
export class Secrets {
  private readonly cache = new Map<string, Cached>();
  private readonly asking = new Map<string, Promise<Cached>>();

  constructor(@Inject(vaultClient) private readonly vault: ServiceClient) {}

  /** All fields of the endpoint's credential (none when it has no credential), or null when the vault has to be asked. */
  known(endpoint: Endpoint): SecretFields | null {
    if (!endpoint.credential_id) return {};
    const cached = this.cache.get(endpoint.credential_id);
    return cached && Date.now() - cached.readAtMs <= freshMs ? cached.fields : null;
  }

  /**
   * As `known`, asking the vault where it has to be.
   * @throws Problem when the vault does not answer and nothing recent is known
   */
  async fields(endpoint: Endpoint): Promise<SecretFields> {
    const known = this.known(endpoint);
    if (known || !endpoint.credential_id) return known ?? {};
    const stale = this.cache.get(endpoint.credential_id);
    try {
      return (await this.ask(endpoint, endpoint.credential_id)).fields;
    } catch (error) {
      if (!stale || Date.now() - stale.readAtMs > staleMs) throw error;
      return stale.fields;
    }
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
