import { integer, list, readEnv, serviceSettings, text, url } from '#libs/service-kit';
import { fileURLToPath } from 'node:url';
import { checkOidc, oidcSettings } from './sign-in/single-sign-on/oidc-settings.js';

/** As `npm start` and the images have it: beside the compiled apps. */
const builtConsole = fileURLToPath(new URL('../../../console', import.meta.url));

const settings = {
  ...serviceSettings,
  INGRESS_URL: url(),
  GATEWAY_URL: url(),
  VAULT_URL: url(),
  ROUTER_URL: url(),
  ENGINE_URL: url(),
  MCP_REGISTRY_URL: url(),
  /** The folder of the console's build. */
  CONSOLE_DIR: text(builtConsole),
  /** Connections to each service behind the proxy, per path. */
  UPSTREAM_CONNECTIONS: integer(128, 1, 10_000),
  /** The longest silence of a service behind the proxy. */
  UPSTREAM_TIMEOUT_MS: integer(60_000, 100, 600_000),
  /** A revoked key or session works for so long at most. */
  KEY_CACHE_MS: integer(400, 0, 900),
  /** A session that no request used for so long is over. */
  SESSION_IDLE_SECONDS: integer(43_200, 60, 31_536_000),
  /** A session is over after so long, whatever it is used for. */
  SESSION_SECONDS: integer(604_800, 300, 31_536_000),
  /** Links that sign in once work for so long. */
  SIGN_IN_LINK_SECONDS: integer(3_600, 60, 2_592_000),
  ...oidcSettings,
  /** Beside the issuer itself, where its endpoints are not on the public internet. */
  GATEHOUSE_EGRESS_ALLOW: list,
  /** Proxies whose X-Forwarded-For names the client: addresses, CIDRs, `loopback`, `uniquelocal`. */
  TRUSTED_PROXIES: list,
  /** API keys that were not valid, of one address within the window, before it waits. */
  FAILED_KEYS_PER_ADDRESS: integer(20, 1, 1_000_000),
  /** The same for keys of one beginning (`gh_` and 8 characters), from wherever. */
  FAILED_KEYS_PER_PREFIX: integer(10, 1, 1_000_000),
  FAILED_KEYS_WINDOW_MS: integer(60_000, 100, 86_400_000),
  /** Addresses, beginnings and valid keys that are remembered, of each. */
  FAILED_KEYS_TRACKED: integer(10_000, 10, 1_000_000),
};

/** Read once at boot. @throws Error with every setting that is wrong */
export function readSettings(environment?: NodeJS.ProcessEnv) {
  const read = readEnv(settings, environment);
  checkOidc(read);
  return read;
}
