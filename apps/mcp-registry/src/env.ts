import { integer, list, readEnv, serviceSettings, url } from '#libs/service-kit';

const settings = {
  ...serviceSettings,
  VAULT_URL: url(),
  ENGINE_URL: url(),
  PYTHON_RUNNER_URL: url('http://python-runner:8080'),
  /** host:port or CIDR that MCP servers may be reached at though it is not a public address. */
  GATEHOUSE_EGRESS_ALLOW: list,
  /** For the whole handshake, the fallback to SSE apart. */
  MCP_CONNECT_TIMEOUT_MS: integer(10_000, 100, 120_000),
  /** A call that names no time-out of its own; no call may take longer than MCP_CALL_MAX_MS. */
  MCP_CALL_TIMEOUT_MS: integer(30_000, 100, 600_000),
  MCP_CALL_MAX_MS: integer(120_000, 100, 600_000),
  /** Bytes of one answer of an MCP server, however it is framed. */
  MCP_RESPONSE_BYTES: integer(4_194_304, 1_024, 104_857_600),
  /** Bytes of a stream that stays open for notifications; it is opened anew after them. */
  MCP_STREAM_BYTES: integer(16_777_216, 1_024, 104_857_600),
  /** Bytes of a call's result that are handed to the engine. */
  MCP_OUTPUT_BYTES: integer(262_144, 1_024, 4_194_304),
  /** A listing that is longer in any way is not applied. */
  MCP_LIST_PAGES: integer(50, 1, 1_000),
  MCP_LIST_TOOLS: integer(500, 1, 10_000),
  MCP_LIST_BYTES: integer(4_194_304, 1_024, 104_857_600),
  /** A tool's definition over this is quarantined: every run of an agent pays for it. */
  MCP_DEFINITION_BYTES: integer(65_536, 256, 1_048_576),
  /** A connection that no call used for this long is closed. */
  MCP_IDLE_MS: integer(300_000, 100, 86_400_000),
  MCP_CONNECTIONS: integer(500, 1, 10_000),
  /** Each server is listed again after this. */
  DISCOVERY_EVERY_MS: integer(900_000, 100, 86_400_000),
  DISCOVERY_SWEEP_MS: integer(10_000, 50, 3_600_000),
  SERVERS_PER_PROJECT: integer(200, 1, 10_000),
  /** How long a credential's values are used before the vault is asked again. */
  CREDENTIAL_CACHE_MS: integer(2_000, 0, 60_000),
  COMPILE_TIMEOUT_MS: integer(30_000, 100, 120_000),
  /** How long a Python tool that a person tries is waited for; the engine and the runner end it before. */
  TRY_TIMEOUT_MS: integer(60_000, 1_000, 600_000),
  /** Days that the record of calls is kept. */
  CALL_RECORD_DAYS: integer(90, 1, 3_650),
};

/** Read once at boot. @throws Error with every setting that is wrong */
export const readSettings = (environment?: NodeJS.ProcessEnv) => readEnv(settings, environment);

export type RegistrySettings = ReturnType<typeof readSettings>;
