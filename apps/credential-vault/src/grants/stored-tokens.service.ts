import type { ProjectScope } from '#libs/contracts';
import { Problem } from '#libs/service-kit';
import { Injectable, Logger } from '@nestjs/common';
import { CredentialOpener } from '../credential-store/credential-opener.js';
import type { Credential } from '../credential-store/credential.entity.js';
import { CredentialRepository } from '../credential-store/credential.repository.js';
import { hasStoredTokens, tokenFields } from '../credential-store/field-rules.js';
import type { ProviderConfig } from '../oauth-providers/provider-config.js';
import { ProviderDirectory } from '../oauth-providers/provider-directory.js';
import { Secret } from '../sealing/secret.js';
import { GrantAdoptionRepository } from './grant-adoption.repository.js';
import { clientKeyOf, GrantClients } from './grant-clients.js';
import { GrantSealer } from './grant-sealer.js';
import { GrantRepository } from './grant.repository.js';
import { RevocationService } from './revocation.service.js';
import { mayShareConsent } from './shared-consent.js';
import { TokenCustody } from './token-custody.js';

/** A credential whose tokens cannot be moved is used often, and its adapter is asked about it only so often. */
const retryMs = 5_000;
const maxRemembered = 10_000;

/**
 * Moves tokens that people stored with a credential (spec 2.2) into its grant, which refreshes them from then on. Those
 * that are still fields have not been moved: their token endpoint is not known, or a process died after it stored them.
 */
@Injectable()
export class StoredTokens {
  private readonly logger = new Logger('oauth');
  private readonly retryAtMs = new Map<string, number>();

  constructor(
    private readonly credentials: CredentialRepository,
    private readonly opener: CredentialOpener,
    private readonly grants: GrantRepository,
    private readonly adoption: GrantAdoptionRepository,
    private readonly clients: GrantClients,
    private readonly providers: ProviderDirectory,
    private readonly sealer: GrantSealer,
    private readonly custody: TokenCustody,
    private readonly revocations: RevocationService,
  ) {}

  /**
   * Does nothing for a credential without such fields.
   * @param adapterSlug an adapter that uses the credential, for one that names none itself
   * @throws Problem 422 `no_token_url`, 409 `credential_undecryptable`, 502 `discovery_failed`
   */
  async move(scope: ProjectScope, credentialId: string, adapterSlug: string | null = null): Promise<void> {
    const row = await this.credentials.find(scope, credentialId);
    if (row?.type !== 'oauth2' || !hasStoredTokens(row)) return;
    const fields = row.fields.map(({ field }) => field).filter((field) => tokenFields.includes(field));
    const found = await this.grants.find(scope, credentialId);
    const slug = found?.grant.provider_slug ?? row.adapter_slug ?? adapterSlug;
    const provider = await this.providerOf(scope, row, slug, found?.grant.inline_config ?? null);
    const [tokens, client] = [await this.opener.open(row, fields), await this.clients.read(scope, credentialId)];
    const [accessToken, refreshToken] = tokenFields.map((field) => givenIn(tokens, field));
    if (!accessToken && !refreshToken) return;
    const grantType = row.grant ?? 'authorization_code';
    const clientKey = clientKeyOf(row.organization_id, provider, client.id);
    const owner = { organization_id: row.organization_id, credential_id: row.id };
    let left: string[] = [];
    const version = await this.adoption.adopt(
      {
        credentialId,
        generation: row.generation,
        fields,
        grantType,
        slug: provider.slug,
        provider,
        clientKey,
        renewable: Boolean(refreshToken) || grantType === 'client_credentials',
      },
      // A refresh token alone is enough: what it brings is the first access token.
      (next) =>
        this.sealer.sealTokens(owner, next, {
          accessToken: accessToken ?? new Secret(''),
          refreshToken: refreshToken ?? null,
          answerFields: new Map(),
        }),
      async (manager, before) => {
        if (mayShareConsent({ client_key: clientKey, account: null, provider }, before)) return;
        left = await this.custody.takePlaced(manager, before, client, 'replaced');
      },
    );
    for (const revocation of left) await this.revocations.enqueue(revocation);
    this.logger.log({ event: 'oauth.tokens_moved', credential_id: credentialId, fields, version });
  }

  /** @returns why they could not be moved; null when they were, or there are none */
  async tryMove(scope: ProjectScope, credentialId: string, adapterSlug: string | null = null): Promise<Problem | null> {
    try {
      await this.move(scope, credentialId, adapterSlug);
      return null;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.logger.warn({ event: 'oauth.tokens_not_moved', credential_id: credentialId, code: error.code });
      return error;
    }
  }

  /** For a use of the credential. One whose tokens could not be moved is used as it is for a while. */
  async moveForUse(scope: ProjectScope, credentialId: string): Promise<void> {
    if ((this.retryAtMs.get(credentialId) ?? 0) > Date.now()) return;
    const problem = await this.tryMove(scope, credentialId);
    if (this.retryAtMs.size >= maxRemembered) this.retryAtMs.clear();
    if (problem) this.retryAtMs.set(credentialId, Date.now() + retryMs);
    else this.retryAtMs.delete(credentialId);
  }

  private async providerOf(
    scope: ProjectScope,
    { id }: Credential,
    slug: string | null,
    inline: Record<string, unknown> | null,
  ): Promise<ProviderConfig> {
    try {
      if (slug !== null) return await this.providers.find(scope, slug, inline);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'invalid_oauth_config') throw error;
    }
    throw new Problem(
      422,
      'no_token_url',
      `The tokens of credential ${id} are not refreshed, since no token_url is known: set its adapter_slug to an adapter ` +
        `with an oauth_config, or PUT /api/v1/credentials/${id}/oauth with a config that has a token_url.`,
    );
  }
}

/** An empty one is none. */
function givenIn(fields: ReadonlyMap<string, Secret>, field: string): Secret | null {
  const secret = fields.get(field);
  return secret && secret.reveal() !== '' ? secret : null;
}
