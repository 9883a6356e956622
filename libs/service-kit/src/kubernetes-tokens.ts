import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { readFile } from 'node:fs/promises';

/** The cluster as an issuer of tokens: projected tokens of ServiceAccounts that are named after the services. */
export interface KubernetesIssuer {
  issuer: string;
  jwksUrl: string;
  /** ServiceAccounts of other namespaces are not trusted. */
  namespace: string;
  /** Shown to the API server to get its keys, where it does not give them to everyone. */
  jwksTokenFile: string | null;
}

/** What API servers sign with. */
const algorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512'];

export class KubernetesTokens {
  readonly issuer: string;
  private readonly keys: JWTVerifyGetKey;
  private readonly subjectPrefix: string;

  constructor({ issuer, jwksUrl, namespace, jwksTokenFile }: KubernetesIssuer) {
    this.issuer = issuer;
    this.subjectPrefix = `system:serviceaccount:${namespace}:`;
    this.keys = createRemoteJWKSet(new URL(jwksUrl), {
      timeoutDuration: 3_000,
      cooldownDuration: 10_000,
      // The file is read each time, because the cluster renews it.
      [customFetch]: async (url, options) => {
        if (jwksTokenFile)
          options.headers.set('authorization', `Bearer ${(await readFile(jwksTokenFile, 'utf8')).trim()}`);
        return fetch(url, options);
      },
    });
  }

  /**
   * Which service a token belongs to.
   * @throws JOSEError when the cluster did not sign it, it is for another audience, or has expired
   */
  async verify(token: string, audience: string): Promise<{ service: string; untilMs: number }> {
    const { payload } = await jwtVerify(token, this.keys, {
      algorithms,
      issuer: this.issuer,
      audience,
      requiredClaims: ['exp', 'sub'],
    });
    const subject = String(payload.sub);
    if (!subject.startsWith(this.subjectPrefix)) throw new Error(`${subject} is not of the namespace of Gatehouse`);
    return { service: subject.slice(this.subjectPrefix.length), untilMs: (payload.exp ?? 0) * 1000 };
  }
}

/** How long a file's token is used before it is read again; the cluster renews it long before it expires. */
const rereadMs = 30_000;

/** Projected tokens of this pod: one file per audience, named after it. */
export class ProjectedTokens {
  private readonly known = new Map<string, { token: string; rereadAtMs: number }>();

  constructor(private readonly directory: string) {}

  async of(audience: string): Promise<string> {
    const cached = this.known.get(audience);
    if (cached && cached.rereadAtMs > Date.now()) return cached.token;
    const token = (await readFile(`${this.directory}/${audience}`, 'utf8')).trim();
    this.known.set(audience, { token, rereadAtMs: Date.now() + rereadMs });
    return token;
  }
}
