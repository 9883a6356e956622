import { integer, readEnv, serviceSettings, url } from '#libs/service-kit';

export const env = readEnv({
  ...serviceSettings,
  INGRESS_URL: url(),
  GATEWAY_URL: url(),
  VAULT_URL: url(),
  ROUTER_URL: url(),
  ENGINE_URL: url(),
  MCP_REGISTRY_URL: url(),
  /** Connections to each service behind the proxy, per path. */
  UPSTREAM_CONNECTIONS: integer(128, 1, 10_000),
  /** The longest silence of a service behind the proxy. */
  UPSTREAM_TIMEOUT_MS: integer(60_000, 100, 600_000),
  /** A revoked key works for so long at most. */
  KEY_CACHE_MS: integer(400, 0, 900),
});
