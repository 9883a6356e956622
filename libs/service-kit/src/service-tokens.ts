import { importJWK, jwtVerify, SignJWT, type CryptoKey } from 'jose';
import { createPublicKey } from 'node:crypto';
import type { Jwk } from './env.js';
import type { Principal, Scope } from './principal.js';

const lifetimeSeconds = 120;
/** A token is used again until this little of its life is left. */
const renewBeforeSeconds = 30;

export type Audience =
  | 'portal'
  | 'webhook-ingress'
  | 'adapter-gateway'
  | 'credential-vault'
  | 'router'
  | 'engine'
  | 'mcp-registry'
  | 'python-runner';

/** Mints and checks the short-lived EdDSA tokens that services show each other. */
export class ServiceTokens {
  private readonly keys: Promise<{ sign: CryptoKey | Uint8Array | null; verify: CryptoKey | Uint8Array }>;
  private readonly minted = new Map<string, { token: string; renewAtMs: number }>();
  private readonly verified = new Map<string, { principal: Principal; untilMs: number }>();

  /** @param key the platform's private key, or its public half for a service that only checks tokens */
  constructor(
    key: Jwk,
    private readonly service: string,
  ) {
    const publicKey = createPublicKey({ key, format: 'jwk' }).export({ format: 'jwk' });
    const sign = key.d ? importJWK(key as never, 'EdDSA') : null;
    this.keys = Promise.all([sign, importJWK(publicKey as never, 'EdDSA')]).then(([sign, verify]) => ({
      sign,
      verify,
    }));
  }

  /**
   * A token of this service for another one, acting in an organization and project (empty: in none).
   * @param more scopes beside `service`
   */
  asService(audience: Audience, organizationId = '', projectId = '', more: Scope[] = []): Promise<string> {
    const subject = `service:${this.service}`;
    return this.mint(audience, { subject, organizationId, projectId, scopes: ['service', ...more] });
  }

  /** A token that carries an authenticated caller to the service that owns the route. */
  async mint(audience: Audience, principal: Principal): Promise<string> {
    const key = `${audience} ${principal.subject} ${principal.organizationId} ${principal.projectId} ${principal.scopes.join()}`;
    const cached = this.minted.get(key);
    const nowMs = Date.now();
    if (cached && cached.renewAtMs > nowMs) return cached.token;
    const { sign } = await this.keys;
    if (!sign) throw new Error(`${this.service} has no key to sign a token for ${audience}`);
    const token = await new SignJWT({
      org: principal.organizationId,
      prj: principal.projectId,
      scopes: principal.scopes,
    })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT' })
      .setIssuer(`gatehouse:${this.service}`)
      .setAudience(`gatehouse:${audience}`)
      .setSubject(principal.subject)
      .setIssuedAt()
      .setExpirationTime(`${lifetimeSeconds}s`)
      .sign(sign);
    if (this.minted.size > 10_000) this.minted.clear();
    this.minted.set(key, { token, renewAtMs: nowMs + (lifetimeSeconds - renewBeforeSeconds) * 1000 });
    return token;
  }

  /**
   * Whom a token speaks for.
   * @throws JOSEError when it is not for this service, expired, or not signed by the platform's key
   */
  async verify(token: string): Promise<Principal> {
    const known = this.verified.get(token);
    if (known && known.untilMs > Date.now()) return known.principal;
    const { verify } = await this.keys;
    const { payload } = await jwtVerify(token, verify, {
      algorithms: ['EdDSA'],
      audience: `gatehouse:${this.service}`,
    });
    const principal: Principal = {
      subject: String(payload.sub),
      organizationId: String(payload['org'] ?? ''),
      projectId: String(payload['prj'] ?? ''),
      scopes: (payload['scopes'] ?? []) as Scope[],
    };
    if (this.verified.size > 10_000) this.verified.clear();
    this.verified.set(token, { principal, untilMs: (payload.exp ?? 0) * 1000 });
    return principal;
  }
}
