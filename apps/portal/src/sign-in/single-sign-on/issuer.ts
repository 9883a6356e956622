import { createEgress, type Egress } from '#libs/egress';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import * as oidc from 'openid-client';
import { SETTINGS } from '../../settings.js';
import type { OidcSettings } from './oidc-settings.js';

const keepMs = 3_600_000;
const timeoutMs = 10_000;
const maxAnswerBytes = 512 * 1024;
const clockToleranceSeconds = 30;

/** What a browser must keep until it returns. */
export interface Flow {
  state: string;
  nonce: string;
  verifier: string;
  returnTo: string;
}

/** The issuer's claims about somebody. */
export type Claims = Record<string, unknown> & { iss: string; sub: string };

/** The OpenID provider that people sign in with: authorization code with PKCE, state and nonce. */
@Injectable()
export class Issuer implements OnApplicationShutdown {
  readonly redirectUri: string;
  private readonly egress: Egress;
  private known: { configuration: Promise<oidc.Configuration>; untilMs: number } | null = null;

  constructor(@Inject(SETTINGS) private readonly settings: OidcSettings) {
    this.redirectUri = `${settings.PUBLIC_URL}/api/v1/sign-in/oidc/callback`;
    // The operator chooses the issuer, so it may be in a private network.
    const own = settings.OIDC_ISSUER === null ? [] : [new URL(settings.OIDC_ISSUER).host];
    this.egress = createEgress({ allow: [...own, ...settings.GATEHOUSE_EGRESS_ALLOW] });
  }

  get isSet(): boolean {
    return this.settings.OIDC_ISSUER !== null;
  }

  get name(): string {
    return this.settings.OIDC_NAME ?? 'Single sign-on';
  }

  /** @throws Error when the issuer does not answer as one */
  async start(returnTo: string): Promise<{ flow: Flow; url: URL }> {
    const configuration = await this.configuration();
    const verifier = oidc.randomPKCECodeVerifier();
    const flow = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier, returnTo };
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: this.redirectUri,
      scope: 'openid email profile',
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { flow, url };
  }

  /**
   * @param query of the browser's return
   * @throws Error when the answer does not belong to this flow, or the issuer's tokens are invalid
   */
  async finish({ state, nonce, verifier }: Flow, query: string): Promise<Claims> {
    const configuration = await this.configuration();
    const tokens = await oidc.authorizationCodeGrant(configuration, new URL(`${this.redirectUri}?${query}`), {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new Error('the issuer gave no ID token');
    // Many issuers give addresses and groups only here, not in the ID token.
    const more = configuration.serverMetadata().userinfo_endpoint
      ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)
      : {};
    return { ...more, ...claims };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.egress.close();
  }

  private configuration(): Promise<oidc.Configuration> {
    if (this.known && this.known.untilMs > Date.now()) return this.known.configuration;
    const known = { configuration: this.discovered(), untilMs: Date.now() + keepMs };
    this.known = known;
    known.configuration.catch(() => {
      if (this.known === known) this.known = null;
    });
    return known.configuration;
  }

  private discovered(): Promise<oidc.Configuration> {
    const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: secret } = this.settings;
    if (issuer === null || clientId === null) throw new Error('there is no issuer');
    const execute = [oidc.enableNonRepudiationChecks];
    // Only on this machine: the settings reject any other http issuer.
    if (issuer.startsWith('http:')) execute.push(oidc.allowInsecureRequests);
    const metadata = { [oidc.clockTolerance]: clockToleranceSeconds };
    return oidc.discovery(new URL(issuer), clientId, metadata, authenticationOf(secret), {
      execute,
      [oidc.customFetch]: (url, { method, headers, body }) => this.fetch(url, method, headers, body),
    });
  }

  private async fetch(url: string, method: string, headers: Record<string, string>, body: unknown): Promise<Response> {
    const sent = body instanceof URLSearchParams ? body.toString() : body;
    const request = { method, headers, timeoutMs, maxRedirects: 0, maxResponseBytes: maxAnswerBytes };
    const answer = await this.egress.fetch(url, {
      ...request,
      ...(typeof sent === 'string' || sent instanceof Uint8Array ? { body: sent } : {}),
    });
    const contentType = [answer.headers['content-type']].flat()[0];
    return new Response(new Uint8Array(answer.body), {
      status: answer.status,
      ...(contentType ? { headers: { 'content-type': contentType } } : {}),
    });
  }
}

/** The method that the issuer announces; without an announcement `client_secret_basic` (OpenID Connect Core 9). */
function authenticationOf(secret: string | null): oidc.ClientAuth {
  if (secret === null) return oidc.None();
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (as, client, body, headers) => {
    const methods = as.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(as, client, body, headers);
  };
}
