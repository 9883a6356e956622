import {
  clientLimitSettings,
  integer,
  list,
  readEnv,
  replicaSettings,
  serviceSettings,
  text,
  url,
} from '#libs/service-kit';
import { fileURLToPath } from 'node:url';
import { moveAccepts } from './move-accepts.js';
import { checkOidc, oidcSettings } from './sign-in/single-sign-on/oidc-settings.js';

/** As `npm start` and the images place it: beside the compiled apps. */
const builtConsole = fileURLToPath(new URL('../../../console', import.meta.url));

const settings = {
  ...serviceSettings,
  ...replicaSettings,
  ...clientLimitSettings,
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
  /** Connections to the gateway for open pages of web chats. */
  WEB_CHAT_CONNECTIONS: integer(2_000, 1, 100_000),
  /**
   * Connections to the engine for callers of published agents, for A2A and for MCP each: more than tasks are followed
   * (TASK_FOLLOWERS of each engine), so that short calls have some while others wait.
   */
  TASK_CONNECTIONS: integer(1_000, 1, 100_000),
  /**
   * Connections of senders that are handed on to the ingress below HTTP, at most half of HTTP_CONNECTIONS_PER_ADDRESS;
   * further ones are forwarded request by request.
   */
  WEBHOOK_CONNECTIONS: integer(1_000, 0, 100_000),
  /** Requests that wait for one of them, per path; more are answered 503. */
  UPSTREAM_QUEUE: integer(1_000, 0, 100_000),
  /** How long they wait before they are answered 503. */
  UPSTREAM_QUEUE_MS: integer(2_000, 10, 60_000),
  /** How much of an answer is kept for a client that reads slowly. */
  ANSWER_BUFFER_BYTES: integer(1_048_576, 16_384, 67_108_864),
  /** The least that a client has to read of a longer answer; a slower one is disconnected. */
  ANSWER_MIN_BYTES_PER_SECOND: integer(10_000, 1, 10_000_000),
  /** Queues whose oldest due job waits longer than this are listed under Needs attention. */
  QUEUE_ATTENTION_MS: integer(15_000, 100, 86_400_000),
  /** A service whose answers were all late for so long is listed there as silent; before, as slow. */
  SERVICE_SILENT_MS: integer(20_000, 100, 86_400_000),
  /** How often alert rules look at what needs attention in their project. */
  ALERT_LOOK_MS: integer(15_000, 100, 3_600_000),
  /** How often alerts that wait are tried again; new ones are sent at once. */
  ALERT_SEND_MS: integer(5_000, 100, 600_000),
  /** Days that alerts are listed after they were sent. */
  ALERT_DAYS: integer(30, 1, 3_650),
  /** The longest silence of a service behind the proxy. */
  UPSTREAM_TIMEOUT_MS: integer(60_000, 100, 600_000),
  /**
   * A revoked key or session works for at most this long, in every replica. Each key in use is then read this often at
   * most.
   */
  KEY_CACHE_MS: integer(80, 0, 900),
  /** A session ends after this long without a request. */
  SESSION_IDLE_SECONDS: integer(43_200, 60, 31_536_000),
  /** A session ends after this long, whatever its use. */
  SESSION_SECONDS: integer(604_800, 300, 31_536_000),
  /** How long a sign-in link is valid. */
  SIGN_IN_LINK_SECONDS: integer(3_600, 60, 2_592_000),
  ...oidcSettings,
  /**
   * host:port or CIDR of the issuer's other endpoints, where they are not on the public internet. The issuer's own host
   * is always allowed.
   */
  GATEHOUSE_EGRESS_ALLOW: list,
  /** The longest answer of a tool of /mcp/operations, in characters: an assistant's model reads all of it. */
  OPERATIONS_ANSWER_CHARS: integer(30_000, 4_000, 1_000_000),
  /**
   * Whose projects may be moved here from other installations, and by whom: `<organization>=<key>`, comma-separated, each
   * by id. The key is an `admin` key of this installation. Rows are stored as they come, API keys among them.
   */
  MOVE_ACCEPTS: moveAccepts,
  /** Proxies whose X-Forwarded-For is trusted: addresses, CIDRs, `loopback`, `uniquelocal`. */
  TRUSTED_PROXIES: list,
  /** Invalid API keys that one address may send within the window before it is delayed. */
  FAILED_KEYS_PER_ADDRESS: integer(20, 1, 1_000_000),
  /** The same for keys with one prefix (`gh_` and 8 characters), from any address. */
  FAILED_KEYS_PER_PREFIX: integer(10, 1, 1_000_000),
  FAILED_KEYS_WINDOW_MS: integer(60_000, 100, 86_400_000),
  /** How many addresses, prefixes and valid keys are tracked, of each. */
  FAILED_KEYS_TRACKED: integer(10_000, 10, 1_000_000),
};

/** Read once at boot. @throws Error with every setting that is wrong */
export function readSettings(environment?: NodeJS.ProcessEnv) {
  const read = readEnv(settings, environment);
  checkOidc(read);
  return read;
}
