import { columnsOf, newId, type ProjectScope, scopeOf } from '#libs/contracts';
import { Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import * as oauth from 'openid-client';
import { GrantClients } from '../grants/grant-clients.js';
import { GrantSealer } from '../grants/grant-sealer.js';
import { Secret } from '../sealing/secret.js';
import { ConnectLinkRepository } from './connect-link.repository.js';
import { bindingCookie, digestOf, newFlowSecret } from './flow-secrets.js';
import { GrantSetup } from './grant-setup.service.js';
import { OauthFlowRepository } from '../oauth-flows/oauth-flow.repository.js';
import { SETTINGS, type VaultSettings } from '../settings.js';
import type { ProviderConfig } from '../oauth-providers/provider-config.js';
import { ProviderDirectory } from '../oauth-providers/provider-directory.js';
import type { ReturnRoute } from './return-routes.js';
import { configuration, resourceOf } from '../oauth-providers/token-endpoint.js';

/** What a browser needs to go to the provider. */
export interface StartedFlow {
  flowId: string;
  authorizationUrl: string;
  /** `Set-Cookie` value: only this browser may complete the callback. */
  cookie: string;
  expiresAt: Date;
}

/** Starts authorizations (RFC 6749 section 4.1, PKCE S256 of RFC 7636). */
@Injectable()
export class ConnectService {
  constructor(
    private readonly setup: GrantSetup,
    private readonly clients: GrantClients,
    private readonly sealer: GrantSealer,
    private readonly providers: ProviderDirectory,
    private readonly flows: OauthFlowRepository,
    private readonly links: ConnectLinkRepository,
    @Inject(SETTINGS) private readonly settings: VaultSettings,
  ) {}

  /**
   * @param subject who starts it; nobody else may complete it
   * @throws Problem 404 `credential_not_found`, 409 `not_connectable`, 422 `invalid_oauth_config`, 502
   *   `discovery_failed`
   */
  async start(scope: ProjectScope, credentialId: string, subject: string, returnTo: ReturnRoute): Promise<StartedFlow> {
    const grant = await this.setup.ensure(scope, credentialId);
    if (grant.grant_type !== 'authorization_code') {
      throw new Problem(409, 'not_connectable', 'A client_credentials grant needs no person to connect it.');
    }
    const provider = await this.providers.find(scope, grant.provider_slug, grant.inline_config);
    const client = await this.clients.read(scope, credentialId);
    const flowId = newId('flw');
    const [state, browser, verifier] = [newFlowSecret(), newFlowSecret(), oauth.randomPKCECodeVerifier()];
    const redirectUri = this.setup.redirectUri(provider.slug);
    const url = await authorizationUrl(provider, configuration(provider, client), { state, verifier, redirectUri });
    const sealed = await this.sealer.seal(grant, flowId, new Secret(verifier));
    const expiresAt = await this.flows.insert(
      {
        id: flowId,
        credential_id: credentialId,
        ...columnsOf(scope),
        subject,
        state_hash: digestOf(state),
        browser_hash: digestOf(browser),
        provider,
        redirect_uri: redirectUri,
        return_to: returnTo,
        kid: sealed.kid,
        wrapped_dek: sealed.wrappedDek,
        verifier: sealed.value,
      },
      this.settings.OAUTH_FLOW_SECONDS,
    );
    const cookie = bindingCookie(this.settings.PUBLIC_URL, flowId, browser, this.settings.OAUTH_FLOW_SECONDS);
    return { flowId, authorizationUrl: url.href, cookie, expiresAt };
  }

  /** Creates a link with which someone without an account here connects this credential, once. @throws as `start` */
  async createLink(scope: ProjectScope, credentialId: string, subject: string, lifeSeconds: number) {
    const grant = await this.setup.ensure(scope, credentialId);
    if (grant.grant_type !== 'authorization_code') {
      throw new Problem(409, 'not_connectable', 'A client_credentials grant needs no person to connect it.');
    }
    const token = newFlowSecret();
    const { organizationId: organization_id, projectId: project_id } = scope;
    const link = { id: newId('lnk'), credential_id: credentialId, organization_id, project_id };
    const expiresAt = await this.links.insert(
      { ...link, token_hash: digestOf(token), created_by: subject },
      lifeSeconds,
    );
    return { url: `${this.settings.PUBLIC_URL}/api/v1/oauth/links/${token}`, expires_at: expiresAt.toISOString() };
  }

  /** @throws Problem 410 `link_spent` */
  async requireLink(token: string) {
    const link = await this.links.find(digestOf(token));
    if (!link) throw linkSpent();
    return link;
  }

  /** Spends a link. The flow is started first, so an unreachable provider costs no link. @throws as `start` */
  async startByLink(token: string): Promise<StartedFlow> {
    const link = await this.requireLink(token);
    const scope = scopeOf(link);
    const started = await this.start(scope, link.credential_id, `link:${link.id}`, 'done');
    if (!(await this.links.use(link.id))) throw linkSpent();
    return started;
  }
}

async function authorizationUrl(
  provider: ProviderConfig,
  config: oauth.Configuration,
  { state, verifier, redirectUri }: { state: string; verifier: string; redirectUri: string },
): Promise<URL> {
  if (!provider.authorization_url) {
    throw new Problem(
      422,
      'invalid_oauth_config',
      'This provider has no authorization_url: set it, or an issuer whose metadata names it.',
    );
  }
  const scope = provider.scopes.join(provider.scope_separator);
  return oauth.buildAuthorizationUrl(config, {
    // First, so that nothing declared overrides what is set here.
    ...provider.extra_authorize_params,
    response_type: 'code',
    redirect_uri: redirectUri,
    state,
    ...(scope ? { scope } : {}),
    ...resourceOf(provider),
    ...(provider.pkce
      ? { code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' }
      : {}),
  });
}

function linkSpent(): Problem {
  return new Problem(
    410,
    'link_spent',
    'This link was already used, has expired or does not exist: ask for a new one.',
  );
}
