import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const issuer = 'https://kubernetes.default.svc.cluster.local';

/** A fake API server that issues tokens for ServiceAccounts. */
export interface ClusterIssuer {
  /** Settings that make the vault trust its tokens. */
  trust: Record<`KUBERNETES_${'ISSUER' | 'JWKS_URL' | 'NAMESPACE'}`, string>;
  /** A token of this service for the vault. */
  tokenOf(service: string): Promise<string>;
  close(): Promise<void>;
}

export async function startCluster(): Promise<ClusterIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'cluster-1', alg: 'RS256', use: 'sig' };
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    trust: {
      KUBERNETES_ISSUER: issuer,
      KUBERNETES_JWKS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`,
      KUBERNETES_NAMESPACE: 'gatehouse',
    },
    tokenOf: (service) =>
      new SignJWT()
        .setProtectedHeader({ alg: 'RS256', kid: 'cluster-1' })
        .setIssuer(issuer)
        .setSubject(`system:serviceaccount:gatehouse:${service}`)
        .setAudience('gatehouse:credential-vault')
        .setIssuedAt()
        .setExpirationTime('10m')
        .sign(privateKey),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
