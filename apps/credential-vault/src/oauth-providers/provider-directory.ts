import type { ProjectScope } from '#libs/contracts';
import type { Egress } from '#libs/egress';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { createHash } from 'node:crypto';
import * as oauth from 'openid-client';
import { EGRESS, GATEWAY } from '../services.js';
import { type ProviderConfig, readProviderConfig } from './provider-config.js';

const discoveryMs = 600_000;
const maxCached = 1_000;

type Metadata = Readonly<oauth.ServerMetadata>;

/** Finds a provider's configuration, in the adapter's manifest or as given, completed from the issuer's metadata. */
@Injectable()
export class ProviderDirectory {
  private readonly logger = new Logger('oauth');
  private readonly known = new Map<string, { metadata: Promise<Metadata>; untilMs: number }>();

  constructor(
    @Inject(GATEWAY) private readonly gateway: ServiceClient,
    @Inject(EGRESS) private readonly egress: Egress,
  ) {}

  /**
   * @param inline the configuration given with the credential; null: that of the adapter `slug`
   * @throws Problem 422 `invalid_oauth_config`, 404 of the gateway, 502 `discovery_failed`
   */
  async find(scope: ProjectScope, slug: string, inline: Record<string, unknown> | null): Promise<ProviderConfig> {
    const config = readProviderConfig(slug, inline ?? (await this.manifestConfig(scope, slug)));
    const complete = config.issuer ? await this.completed(config, config.issuer) : config;
    if (complete.token_url) return complete;
    throw new Problem(
      502,
      'discovery_failed',
      `The metadata of ${config.issuer} names no token endpoint: set token_url.`,
    );
  }

  private async manifestConfig(scope: ProjectScope, slug: string): Promise<Record<string, unknown>> {
    const query = new URLSearchParams({ organization_id: scope.organizationId });
    const path = `/internal/oauth-providers/${encodeURIComponent(slug)}?${query.toString()}`;
    const { oauth_config: config } = await this.gateway.get<{ oauth_config: Record<string, unknown> | null }>(
      path,
      scope,
    );
    if (config) return config;
    throw new Problem(422, 'invalid_oauth_config', `The adapter ${slug} declares no oauth_config: pass one as config.`);
  }

  /** Given values take precedence over the server's metadata. A server without metadata needs its URLs given. */
  private async completed(config: ProviderConfig, issuer: string): Promise<ProviderConfig> {
    let metadata: Metadata;
    try {
      metadata = await this.metadata(issuer);
    } catch (error) {
      this.logger.warn({ event: 'oauth.discovery_failed', issuer, error: String(error) });
      if (config.token_url) return config;
      throw new Problem(
        502,
        'discovery_failed',
        `The metadata of ${issuer} could not be read: set the URLs, or try again.`,
      );
    }
    // Validated again: the server's metadata is subject to the same rules.
    const { authorization_url, token_url, revocation_url, ...rest } = config;
    const urls = {
      issuer,
      authorization_url: authorization_url ?? metadata.authorization_endpoint,
      token_url: token_url ?? metadata.token_endpoint,
      revocation_url: revocation_url ?? metadata.revocation_endpoint,
    };
    const read = readProviderConfig(config.slug, { ...rest, ...urls });
    return { ...read, iss_in_answers: metadata.authorization_response_iss_parameter_supported === true };
  }

  private metadata(issuer: string): Promise<Metadata> {
    const cached = this.known.get(issuer);
    if (cached && cached.untilMs > Date.now()) return cached.metadata;
    if (this.known.size >= maxCached) this.known.clear();
    const metadata = this.discover(issuer, 'oauth2').catch(() => this.discover(issuer, 'oidc'));
    this.known.set(issuer, { metadata, untilMs: Date.now() + discoveryMs });
    metadata.catch(() => this.known.delete(issuer));
    return metadata;
  }

  /** RFC 8414, or OpenID Connect Discovery if that is missing. Both check that the issuer is the requested one. */
  private async discover(issuer: string, algorithm: 'oauth2' | 'oidc'): Promise<Metadata> {
    const customFetch: oauth.CustomFetch = async (url) => {
      const { status, body } = await this.egress.fetch(url, { timeoutMs: 10_000, maxResponseBytes: 512 * 1024 });
      return new Response(new Uint8Array(body), { status, headers: { 'content-type': 'application/json' } });
    };
    const execute = [oauth.allowInsecureRequests];
    const found = await oauth.discovery(new URL(issuer), 'gatehouse', undefined, oauth.None(), {
      algorithm,
      execute,
      [oauth.customFetch]: customFetch,
    });
    return found.serverMetadata();
  }
}

/**
 * The last part of the redirect URI. A custom configuration gets one derived from its endpoints, so that two servers
 * never share a redirect URI: where answers carry no `iss`, the URI distinguishes them.
 */
export function redirectSlug(slug: string | null, inline: Record<string, unknown> | null): string {
  if (!inline) return slug ?? '';
  const identity = [inline['issuer'], inline['authorization_url'], inline['token_url']];
  return `own-${createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 16)}`;
}
