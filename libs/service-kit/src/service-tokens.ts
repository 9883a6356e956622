import type { ProjectScope } from '#libs/contracts';
import { randomUUID } from 'node:crypto';
import { decodeJwt, createLocalJWKSet, type JWTPayload, type JWTVerifyGetKey, jwtVerify, SignJWT } from 'jose';
import { KubernetesTokens, ProjectedTokens } from './kubernetes-tokens.js';
import type { Principal, Scope } from './principal.js';
import { issuerKeys } from './service-issuers.js';
import { type PublicJwks, ServiceKeys, type Jwk } from './service-keys.js';
import type { ServiceTrust } from './service-trust.js';
import { SpentTokens } from './spent-tokens.js';
import { tokenLimitDefaults } from './token-limits.js';

const lifetimeSeconds = 120;
/** Lifetime of a token for one call: it has to be remembered as long. */
const onceLifetimeSeconds = 20;
/** Two machines' clocks may differ by this much. */
const clockToleranceSeconds = 10;
/** Services whose internal routes accept each token once, and so get a new one with each call. */
const onceAudiences: readonly Audience[] = ['credential-vault'];
/** A token is reused until it has this little time left. */
const renewBeforeSeconds = 30;
const maxCached = 10_000;
/** All scopes that a service except the portal may hold; the called service's policy decides what else it may do. */
const serviceScopes: Scope[] = ['service', 'credentials:reveal'];

export type Audience =
  | 'portal'
  | 'webhook-ingress'
  | 'adapter-gateway'
  | 'credential-vault'
  | 'router'
  | 'engine'
  | 'mcp-registry'
  | 'python-runner';

interface Checked {
  principal: Principal;
  /** A cluster's token names no tenant. */
  tenantByHeader: boolean;
  untilMs: number;
  /** `jti`: null for a token without one. */
  id: string | null;
}

/** Mints and checks the short-lived tokens that services use among themselves: EdDSA, each for one audience. */
export class ServiceTokens {
  private readonly keys: ServiceKeys;
  /** By service; null when all services sign with one key, and nothing proves the issuer claim. */
  private readonly issuers: Map<string, JWTVerifyGetKey> | null;
  private readonly kubernetes: KubernetesTokens | null;
  private readonly projected: ProjectedTokens | null;
  private readonly minted = new Map<string, { token: string; renewAtMs: number }>();
  private readonly verified = new Map<string, Checked>();
  private readonly spent: SpentTokens;
  private readonly maxAgeSeconds: number;
  private shared: Promise<JWTVerifyGetKey> | undefined;

  /** @param keys the first one signs; public keys only for a service that checks tokens and makes none */
  constructor(
    keys: Jwk | Jwk[],
    private readonly service: string,
    trust: ServiceTrust = {},
  ) {
    this.keys = new ServiceKeys([keys].flat());
    this.issuers = trust.issuers ? issuerKeys(trust.issuers) : null;
    this.kubernetes = trust.kubernetes ? new KubernetesTokens(trust.kubernetes) : null;
    this.projected = trust.projectedTokenDir ? new ProjectedTokens(trust.projectedTokenDir) : null;
    this.maxAgeSeconds = trust.maxAgeSeconds ?? tokenLimitDefaults.SERVICE_TOKEN_MAX_AGE_SECONDS;
    this.spent = new SpentTokens(trust.rememberedTokens ?? tokenLimitDefaults.SERVICE_TOKEN_REMEMBERED);
  }

  /** The keys with which others verify this service's tokens. */
  get jwks(): Promise<PublicJwks> {
    return this.keys.jwks;
  }

  /** A token of this service for another one, acting in an organization and project (empty: in none). */
  asService(audience: Audience, organizationId = '', projectId = ''): Promise<string> {
    const principal: Principal = { subject: `service:${this.service}`, organizationId, projectId, scopes: ['service'] };
    if (onceAudiences.includes(audience)) return this.sign(audience, principal, onceLifetimeSeconds);
    return this.mint(audience, principal);
  }

  /** The headers of a call as this service. Where the cluster provides tokens, one of those, which names no tenant. */
  async headers(audience: Audience, { organizationId, projectId }: ProjectScope): Promise<Record<string, string>> {
    if (!this.projected) {
      return { authorization: `Bearer ${await this.asService(audience, organizationId, projectId)}` };
    }
    const token = await this.projected.of(audience);
    return { authorization: `Bearer ${token}`, 'x-organization-id': organizationId, 'x-project-id': projectId };
  }

  /** A token that carries an authenticated caller to the service that owns the route. */
  async mint(audience: Audience, principal: Principal): Promise<string> {
    const key = `${audience} ${principal.subject} ${principal.person ?? ''} ${principal.organizationId} ${principal.projectId} ${principal.scopes.join()}`;
    const cached = this.minted.get(key);
    const nowMs = Date.now();
    if (cached && cached.renewAtMs > nowMs) return cached.token;
    const token = await this.sign(audience, principal, lifetimeSeconds);
    if (this.minted.size > maxCached) this.minted.clear();
    this.minted.set(key, { token, renewAtMs: nowMs + (lifetimeSeconds - renewBeforeSeconds) * 1000 });
    return token;
  }

  private async sign(audience: Audience, principal: Principal, seconds: number): Promise<string> {
    const signing = await this.keys.signing;
    if (!signing) throw new Error(`${this.service} has no key to sign a token for ${audience}`);
    return new SignJWT({
      org: principal.organizationId,
      prj: principal.projectId,
      scopes: principal.scopes,
      ...(principal.person === undefined ? {} : { person: principal.person }),
    })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid: signing.kid })
      .setIssuer(`gatehouse:${this.service}`)
      .setAudience(`gatehouse:${audience}`)
      .setSubject(principal.subject)
      .setIssuedAt()
      .setExpirationTime(`${seconds}s`)
      .setJti(randomUUID())
      .sign(signing.key);
  }

  /**
   * The principal of a token.
   * @param tenant from the request's headers; used only with a cluster's token, which names none itself
   * @throws Error when it is not for this service, expired, too old whatever its expiry, not signed by its issuer, or
   * claims more than its issuer may
   */
  async verify(token: string, tenant: ProjectScope = { organizationId: '', projectId: '' }): Promise<Principal> {
    let known = this.verified.get(token);
    if (!known || known.untilMs <= Date.now()) {
      known = await this.check(token);
      if (this.verified.size > maxCached) this.verified.clear();
      this.verified.set(token, known);
    }
    return inTenant(known, tenant);
  }

  /**
   * As `verify`, for a route that accepts each token once. A cluster's token has no id per call: it is accepted for as
   * long as the cluster lets it live.
   */
  async verifyOnce(token: string, tenant: ProjectScope = { organizationId: '', projectId: '' }): Promise<Principal> {
    const checked = await this.check(token);
    if (!checked.tenantByHeader) {
      if (!checked.id) throw new Error('the token has no jti, which is required here');
      this.spent.spend(`${checked.principal.subject} ${checked.id}`, checked.untilMs + clockToleranceSeconds * 1000);
    }
    return inTenant(checked, tenant);
  }

  private async check(token: string): Promise<Checked> {
    const audience = `gatehouse:${this.service}`;
    const issuer = String(decodeJwt(token).iss);
    if (this.kubernetes && issuer === this.kubernetes.issuer) {
      const { service, untilMs } = await this.kubernetes.verify(token, audience);
      const principal = { subject: `service:${service}`, organizationId: '', projectId: '', scopes: serviceScopes };
      return { principal, tenantByHeader: true, untilMs, id: null };
    }
    const service = /^gatehouse:(.+)$/.exec(issuer)?.[1] ?? '';
    const key = this.issuers
      ? this.issuers.get(service)
      : await (this.shared ??= this.keys.jwks.then(createLocalJWKSet));
    if (!key) throw new Error(`the issuer ${issuer} is not known here`);
    const { payload } = await jwtVerify(token, key, {
      algorithms: ['EdDSA'],
      audience,
      issuer,
      requiredClaims: ['exp', 'sub', 'iat'],
      // Whatever its expiry: the holder of a key could write any.
      maxTokenAge: this.maxAgeSeconds,
      clockTolerance: clockToleranceSeconds,
    });
    const principal = principalOf(payload);
    this.checkAuthority(service, principal);
    if (service !== 'portal' && principal.subject.startsWith('service:')) {
      // A service cannot give itself the scopes of people, whoever issued its token; only the portal, which acts for
      // them, may.
      principal.scopes = principal.scopes.filter((scope) => serviceScopes.includes(scope));
    }
    const untilSeconds = Math.min(payload.exp ?? 0, (payload.iat ?? 0) + this.maxAgeSeconds);
    return { principal, tenantByHeader: false, untilMs: untilSeconds * 1000, id: payload.jti ?? null };
  }

  /**
   * A service speaks for itself; the portal, which authenticates people, also for them. With one key for all there is
   * nothing to check: whoever may sign may sign as anyone.
   */
  private checkAuthority(issuer: string, { subject, scopes }: Principal): void {
    if (!this.issuers || subject === `service:${issuer}`) return;
    if (issuer !== 'portal' || subject.startsWith('service:'))
      throw new Error(`${issuer} may not issue tokens for ${subject}`);
    if (scopes.includes('service')) throw new Error(`${subject} is not a service`);
  }
}

function inTenant({ principal, tenantByHeader }: Checked, { organizationId, projectId }: ProjectScope): Principal {
  return tenantByHeader ? { ...principal, organizationId, projectId } : principal;
}

const textOf = (claim: unknown): string => (typeof claim === 'string' ? claim : '');

function principalOf(payload: JWTPayload): Principal {
  return {
    subject: String(payload.sub),
    organizationId: textOf(payload['org']),
    projectId: textOf(payload['prj']),
    scopes: (payload['scopes'] ?? []) as Scope[],
    ...(typeof payload['person'] === 'string' ? { person: payload['person'] } : {}),
  };
}
