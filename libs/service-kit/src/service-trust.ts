import type { KubernetesIssuer } from './kubernetes-tokens.js';
import type { ServiceIssuers } from './service-issuers.js';

/** Whose tokens a service accepts, besides those signed with its own key. */
export interface ServiceTrust {
  /** Each service's public keys. Absent: all services share one key. */
  issuers?: ServiceIssuers | null;
  kubernetes?: KubernetesIssuer | null;
  /** Where the cluster puts this pod's tokens; absent: the service signs its own. */
  projectedTokenDir?: string | null;
  /** Service tokens issued longer ago than this are refused, whatever their `exp`. */
  maxAgeSeconds?: number | undefined;
  /** Most ids of single-use tokens to remember. */
  rememberedTokens?: number | undefined;
}

/** The settings that configure it. */
export interface TrustSettings {
  GATEHOUSE_SERVICE_ISSUERS?: ServiceIssuers | null;
  KUBERNETES_ISSUER?: string | null;
  KUBERNETES_JWKS_URL?: string | null;
  KUBERNETES_NAMESPACE?: string | null;
  KUBERNETES_JWKS_TOKEN_FILE?: string | null;
  KUBERNETES_TOKEN_DIR?: string | null;
  SERVICE_TOKEN_MAX_AGE_SECONDS?: number;
  SERVICE_TOKEN_REMEMBERED?: number;
}

/** @throws Error when the cluster is an issuer, but a setting needed to check its tokens is missing */
export function trustOf(settings: TrustSettings): ServiceTrust {
  const { KUBERNETES_ISSUER: issuer, KUBERNETES_JWKS_URL: jwksUrl, KUBERNETES_NAMESPACE: namespace } = settings;
  if (issuer && !(jwksUrl && namespace)) {
    throw new Error('KUBERNETES_ISSUER needs KUBERNETES_JWKS_URL and KUBERNETES_NAMESPACE beside it');
  }
  const jwksTokenFile = settings.KUBERNETES_JWKS_TOKEN_FILE ?? null;
  return {
    issuers: settings.GATEHOUSE_SERVICE_ISSUERS ?? null,
    kubernetes: issuer && jwksUrl && namespace ? { issuer, jwksUrl, namespace, jwksTokenFile } : null,
    projectedTokenDir: settings.KUBERNETES_TOKEN_DIR ?? null,
    maxAgeSeconds: settings.SERVICE_TOKEN_MAX_AGE_SECONDS,
    rememberedTokens: settings.SERVICE_TOKEN_REMEMBERED,
  };
}
