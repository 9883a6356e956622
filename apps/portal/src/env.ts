import { integer, list, readEnv, serviceSettings, url } from '#libs/service-kit';

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
  /** Proxies whose X-Forwarded-For names the client: addresses, CIDRs, `loopback`, `uniquelocal`. */
  TRUSTED_PROXIES: list,
  /** API keys that were not valid, of one address within the window, before it waits. */
  FAILED_KEYS_PER_ADDRESS: integer(20, 1, 1_000_000),
  /** The same for keys of one beginning (`gh_` and 8 characters), from wherever. */
  FAILED_KEYS_PER_PREFIX: integer(10, 1, 1_000_000),
  FAILED_KEYS_WINDOW_MS: integer(60_000, 100, 86_400_000),
  /** Addresses, beginnings and valid keys that are remembered, of each. */
  FAILED_KEYS_TRACKED: integer(10_000, 10, 1_000_000),
});
