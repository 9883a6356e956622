import { type ProjectScope, scopeOf } from '#libs/contracts';
import { OpenedCredentials } from '#libs/credentials';
import { ChangeListener } from '#libs/database';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ModelError } from '../model/model.js';
import { kindRules, type ProviderKey, type ProviderKind } from '../model/provider-kind.js';
import { type EngineSettings, SETTINGS, VAULT } from '../../settings.js';
import type { Provider } from '../../entities/provider.entity.js';

/** The keys of providers: read from the vault, cached until they change, never stored. */
@Injectable()
export class ProviderKeys {
  private readonly logger = new Logger('provider-keys');
  private readonly opened: OpenedCredentials;

  constructor(
    @Inject(VAULT) private readonly vault: ServiceClient,
    changes: ChangeListener,
    @Inject(SETTINGS) { CHANGE_CACHE_MS: ms }: EngineSettings,
  ) {
    this.opened = new OpenedCredentials(vault, changes, { ms, outageMs: ms });
  }

  /**
   * @throws ModelError `model_unauthorized` where the credential cannot be used, and `model_unavailable` while the vault
   *   does not answer
   */
  async read(
    provider: Pick<Provider, 'id' | 'kind' | 'organization_id' | 'project_id'>,
    credentialId: string,
  ): Promise<ProviderKey> {
    const owner = scopeOf(provider);
    const consumer = { kind: 'provider' as const, id: provider.id };
    try {
      const { fields } = await this.opened.get(owner, { credential_id: credentialId, consumer });
      return keyOf(provider.kind, fields);
    } catch (cause) {
      if (!(cause instanceof Problem)) throw cause;
      const why = `the credential ${credentialId} cannot be read (${cause.code}): ${cause.detail.slice(0, 300)}`;
      const code = cause.status >= 500 ? 'model_unavailable' : 'model_unauthorized';
      throw new ModelError(code, why, { blame: 'key', cause });
    }
  }

  /** @returns credentials that the vault does not know */
  async bind(owner: ProjectScope, providerId: string, credentialIds: string[]): Promise<string[]> {
    const credentials = credentialIds.map((id) => ({ credential_id: id }));
    const { unknown } = await this.vault.put<{ unknown: string[] }>(
      `/internal/bindings/provider/${providerId}`,
      owner,
      {
        credentials,
      },
    );
    return unknown;
  }

  /** A vault that does not answer is ignored: a binding whose provider is gone gives nobody access. */
  async unbind(owner: ProjectScope, providerId: string): Promise<void> {
    try {
      await this.vault.delete(`/internal/bindings/provider/${providerId}`, owner);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.logger.warn({ event: 'binding.left', consumer: providerId, code: error.code });
    }
  }
}

/**
 * A credential's fields as its kind names them. One that holds a single value holds the key, whatever it calls it.
 * @throws ModelError `model_unauthorized` that says what is missing
 */
function keyOf(kind: ProviderKind, given: Record<string, unknown>): ProviderKey {
  const entries = Object.entries(given).flatMap(([name, value]): [string, string][] => {
    // Of a field with several values, the newest comes first.
    const newest: unknown = Array.isArray(value) ? value[0] : value;
    return typeof newest === 'string' && newest !== '' ? [[name, newest.trim()]] : [];
  });
  const fields: Record<string, string> = Object.fromEntries(entries);
  const { keys } = kindRules[kind];
  const whole = keys.find((names) => names.length > 0 && names.every((name) => fields[name] !== undefined));
  if (whole) return fields;
  const only =
    fields['api_key'] ??
    fields['token'] ??
    fields['access_token'] ??
    (entries.length === 1 ? entries[0]?.[1] : undefined);
  const single = keys.find((names) => names.length === 1)?.[0];
  if (only !== undefined && single !== undefined) return { [single]: only };
  const wanted = keys.filter((names) => names.length > 0).map((names) => names.join(' and '));
  throw new ModelError('model_unauthorized', `the credential has no ${wanted.join(', or no ')}`, { blame: 'key' });
}
