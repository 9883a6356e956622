import type { ProjectScope } from '#libs/contracts';
import { ChangeCache, ChangeListener } from '#libs/database';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { BindingRules } from '../bindings/binding-rules.js';
import type { CredentialBinding } from '../credential-store/credential-binding.entity.js';
import { SETTINGS, type VaultSettings } from '../settings.js';
import type { StoredCredential } from '../credential-store/credential-opener.js';
import type { ResolveCredential } from './resolve.dto.js';

export type FoundBinding = BindingRules & Pick<CredentialBinding, 'signing' | 'key_check'>;

const maxKept = 1_000;

/** The stored data for one request: the credential, and its binding to the consumer. */
export interface Found {
  credential: StoredCredential;
  /** Null: no consumer was named, or it is not bound. */
  binding: FoundBinding | null;
}

interface Row extends Omit<StoredCredential, 'fields'>, FoundBinding {
  at: string;
  bound: boolean;
  names: string[] | null;
  sealed: Buffer[] | null;
}

/** One statement for any number of requests, without entities: it runs for every call of an adapter. */
const sql = `
  SELECT asked.at, c.id, c.organization_id, c.type, c.kid, c.wrapped_dek, c.generation, c.status, f.names, f.sealed,
         b.id IS NOT NULL AS bound, b.fields, b.maps_to, b.approved, b.signing, b.key_check
    FROM unnest($3::text[], $4::text[], $5::text[]) WITH ORDINALITY AS asked (id, kind, consumer, at)
    JOIN vault.credential c ON c.id = asked.id AND c.organization_id = $1 AND c.project_id = $2
    LEFT JOIN vault.credential_binding b
      ON b.credential_id = c.id AND b.consumer_kind = asked.kind AND b.consumer_id = asked.consumer
    CROSS JOIN LATERAL (
      SELECT array_agg(field) AS names, array_agg(sealed) AS sealed FROM vault.credential_field WHERE credential_id = c.id
    ) f`;

/**
 * Caches credentials, still sealed, until they change, and only while this process receives change notifications.
 * Missing credentials and bindings are not cached: after a refusal they are created and requested again at once.
 */
@Injectable()
export class ResolveRepository {
  private readonly cache: ChangeCache<Found | null>;

  constructor(
    private readonly db: DataSource,
    changes: ChangeListener,
    @Inject(SETTINGS) { CHANGE_CACHE_MS: keptMs }: VaultSettings,
  ) {
    this.cache = new ChangeCache(changes, { topic: 'credential', maxKept, keptMs, unheardMs: 0 });
  }

  /**
   * In the order of the requests; null when there is no such credential.
   * @param uncached whether all are read now
   */
  async find(scope: ProjectScope, asked: ResolveCredential[], uncached: boolean): Promise<(Found | null)[]> {
    const missing: ResolveCredential[] = [];
    let reading: Promise<(Found | null)[]> | null = null;
    const readOne = async (one: ResolveCredential): Promise<Found | null> => {
      const at = missing.push(one) - 1;
      // Runs after all were requested, so that one statement reads them.
      await Promise.resolve();
      reading ??= this.read(scope, missing);
      return (await reading)[at] ?? null;
    };
    return Promise.all(
      asked.map(async (one) => {
        const { credential_id: id, consumer } = one;
        const question = [scope.organizationId, scope.projectId, consumer?.kind, consumer?.id].join(' ');
        const read = () => readOne(one);
        const found = await (uncached ? this.cache.renew(id, read, question) : this.cache.get(id, read, question));
        if (!found || (consumer && !found.binding)) this.cache.drop(id, question);
        return found;
      }),
    );
  }

  private async read(scope: ProjectScope, asked: ResolveCredential[]): Promise<(Found | null)[]> {
    const found: (Found | null)[] = asked.map(() => null);
    const rows = await this.db.query<Row[]>(sql, [
      scope.organizationId,
      scope.projectId,
      asked.map((one) => one.credential_id),
      asked.map((one) => one.consumer?.kind ?? null),
      asked.map((one) => one.consumer?.id ?? null),
    ]);
    for (const { at, bound, names, sealed, fields, maps_to, approved, signing, key_check, ...credential } of rows) {
      const stored = (names ?? []).flatMap((field, n) => (sealed?.[n] ? [{ field, sealed: sealed[n] }] : []));
      found[Number(at) - 1] = {
        credential: { ...credential, fields: stored },
        binding: bound ? { fields, maps_to, approved, signing, key_check } : null,
      };
    }
    return found;
  }
}
