import type { ProjectScope } from '#libs/contracts';
import { notFound, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { Credential } from '../credential-store/credential.entity.js';
import { CredentialRepository } from '../credential-store/credential.repository.js';
import { ClientPauses } from '../grants/client-pauses.js';
import { clientKeyOf, GrantClients } from '../grants/grant-clients.js';
import { StoredTokens } from '../grants/stored-tokens.service.js';
import type { OauthGrant } from '../grants/grant.entity.js';
import { GrantRepository } from '../grants/grant.repository.js';
import { SETTINGS, type VaultSettings } from '../settings.js';
import { readProviderConfig } from '../oauth-providers/provider-config.js';
import { ProviderDirectory, redirectSlug } from '../oauth-providers/provider-directory.js';

/** Assigns a provider to an oauth2 credential, and creates its grant. */
@Injectable()
export class GrantSetup {
  constructor(
    private readonly credentials: CredentialRepository,
    private readonly grants: GrantRepository,
    private readonly clients: GrantClients,
    private readonly pauses: ClientPauses,
    private readonly stored: StoredTokens,
    private readonly providers: ProviderDirectory,
    @Inject(SETTINGS) private readonly settings: VaultSettings,
  ) {}

  /**
   * Uses the given `oauth_config` or that of an adapter. Existing tokens stay until the credential is connected again;
   * those that were stored as fields are moved into the grant.
   * @throws Problem 404 `credential_not_found`, 409 `not_oauth2`, 422 `invalid_oauth_config`
   */
  async configure(
    scope: ProjectScope,
    credentialId: string,
    provider: { slug: string | null; inline: Record<string, unknown> | null },
  ): Promise<OauthGrant> {
    const row = await this.requireOauth2(scope, credentialId);
    const slug = redirectSlug(provider.slug ?? row.adapter_slug, provider.inline);
    if (!slug)
      throw new Problem(422, 'invalid_oauth_config', 'Set `provider` to the slug of an adapter, or pass a `config`.');
    const grantType = row.grant ?? 'authorization_code';
    if (provider.inline) readProviderConfig(slug, provider.inline);
    const ready =
      grantType === 'client_credentials' ? await this.ready(scope, credentialId, slug, provider.inline) : null;
    await this.grants.configure(scope, { credentialId, grantType, slug, inline: provider.inline }, ready);
    await this.pauses.lift(credentialId);
    await this.stored.move(scope, credentialId);
    return this.require(scope, credentialId);
  }

  /** The grant; if nobody configured it, it is created from the credential's adapter. @throws as `configure` */
  async ensure(scope: ProjectScope, credentialId: string): Promise<OauthGrant> {
    const found = await this.grants.find(scope, credentialId);
    return found?.grant ?? this.configure(scope, credentialId, { slug: null, inline: null });
  }

  /** What the person registers with the provider. */
  redirectUri(slug: string): string {
    return `${this.settings.PUBLIC_URL}/api/v1/oauth/callback/${slug}`;
  }

  private async ready(scope: ProjectScope, credentialId: string, slug: string, inline: Record<string, unknown> | null) {
    const [provider, client] = [
      await this.providers.find(scope, slug, inline),
      await this.clients.read(scope, credentialId),
    ];
    const clientKey = clientKeyOf(scope.organizationId, provider, client.id);
    return { provider, clientKey, clientConfigVersion: client.generation };
  }

  private async require(scope: ProjectScope, credentialId: string): Promise<OauthGrant> {
    const found = await this.grants.find(scope, credentialId);
    if (!found) throw notFound('credential', credentialId);
    return found.grant;
  }

  private async requireOauth2(scope: ProjectScope, id: string): Promise<Credential> {
    const row = await this.credentials.find(scope, id);
    if (!row) throw notFound('credential', id);
    if (row.type !== 'oauth2') throw new Problem(409, 'not_oauth2', `Credential ${id} is not of the type oauth2.`);
    return row;
  }
}
