import { type ProjectScope, scopeOf } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { notFound } from '#libs/service-kit';
import { createHash } from 'node:crypto';
import { CredentialOpener } from '../credential-store/credential-opener.js';
import { CredentialRepository } from '../credential-store/credential.repository.js';
import type { ProviderConfig } from '../oauth-providers/provider-config.js';
import type { OauthClient } from '../oauth-providers/token-endpoint.js';
import type { OauthGrant } from './grant.entity.js';

/** The current client of a grant, and its provider. */
export interface GrantClient extends OauthClient {
  generation: number;
  provider: ProviderConfig;
}

/** Client id and secret are fields of the credential, so changing them makes a new generation of it. */
@Injectable()
export class GrantClients {
  constructor(
    private readonly credentials: CredentialRepository,
    private readonly opener: CredentialOpener,
  ) {}

  /** @throws Problem 404 `credential_not_found`, 409 `credential_undecryptable` */
  async of(grant: OauthGrant): Promise<GrantClient> {
    if (!grant.provider) throw new Error(`grant ${grant.credential_id} has no provider yet`);
    return { ...(await this.read(scopeOf(grant), grant.credential_id)), provider: grant.provider };
  }

  /** @throws as `of` */
  async read(scope: ProjectScope, credentialId: string): Promise<OauthClient & { generation: number }> {
    const row = await this.credentials.find(scope, credentialId);
    if (!row) throw notFound('credential', credentialId);
    const fields = await this.opener.open(row, ['client_id', 'client_secret']);
    return {
      id: fields.get('client_id')?.reveal() ?? '',
      secret: fields.get('client_secret') ?? null,
      generation: row.generation,
    };
  }

  async generationOf(grant: OauthGrant): Promise<number | null> {
    return (await this.credentials.find(scopeOf(grant), grant.credential_id))?.generation ?? null;
  }
}

/** Identifies grants of one client at one token host: if the client is refused, all of them are affected. */
export function clientKeyOf(organizationId: string, provider: ProviderConfig, clientId: string): string {
  const host = URL.parse(provider.token_url ?? '')?.host ?? '';
  return createHash('sha256')
    .update(JSON.stringify([organizationId, host, clientId]))
    .digest('base64url');
}
