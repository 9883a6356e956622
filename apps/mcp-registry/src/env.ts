import { integer, list, listenSettings, readEnv, replicaSettings, serviceSettings, url } from '#libs/service-kit';

const settings = {
  ...serviceSettings,
  ...listenSettings,
  ...replicaSettings,
  VAULT_URL: url(),
  ENGINE_URL: url(),
  PYTHON_RUNNER_URL: url('http://python-runner:8080'),
  /** host:port or CIDR where MCP servers may be reached although the address is not public. */
  GATEHOUSE_EGRESS_ALLOW: list,
  /** Timeout of the whole handshake, not counting the fallback to SSE. */
  MCP_CONNECT_TIMEOUT_MS: integer(10_000, 100, 120_000),
  /** How long a call may be without an answer and without progress, unless it names another time. */
  MCP_CALL_TIMEOUT_MS: integer(30_000, 100, 600_000),
  /** How long a call may take in all, however much progress its server reports. */
  MCP_CALL_MAX_MS: integer(120_000, 100, 600_000),
  /** How often a call's progress is passed on to the timeline, at most. */
  MCP_PROGRESS_EVERY_MS: integer(5_000, 0, 600_000),
  /** Bytes of one answer of an MCP server, whatever its framing. */
  MCP_RESPONSE_BYTES: integer(4_194_304, 1_024, 104_857_600),
  /** Bytes of a notification stream. It is reopened after that many. */
  MCP_STREAM_BYTES: integer(16_777_216, 1_024, 104_857_600),
  /** Bytes of what a server asks for before it answers a call, with the state that it wants back. */
  MCP_WAIT_BYTES: integer(65_536, 1_024, 1_048_576),
  /** Bytes of a call's result that are returned to the engine. */
  MCP_OUTPUT_BYTES: integer(262_144, 1_024, 4_194_304),
  /** Bytes of the images of a call's result that go to a model that takes images; 0: none. Each is named in any case. */
  MCP_IMAGE_BYTES: integer(4_194_304, 0, 20_971_520),
  /** A listing that exceeds one of these limits is not applied. */
  MCP_LIST_PAGES: integer(50, 1, 1_000),
  MCP_LIST_TOOLS: integer(500, 1, 10_000),
  MCP_LIST_BYTES: integer(4_194_304, 1_024, 104_857_600),
  /** A larger tool definition is quarantined: every run of an agent pays for its tokens. */
  MCP_DEFINITION_BYTES: integer(65_536, 256, 1_048_576),
  /**
   * Properties and other schemas in the definition of one tool. One with more is quarantined: to compile it would hold up
   * this process and the engine, for about a second per 2,000.
   */
  MCP_DEFINITION_SCHEMAS: integer(1_000, 10, 20_000),
  /** A connection is closed, and its session ended, after this long without a call. */
  MCP_IDLE_MS: integer(300_000, 100, 86_400_000),
  /** Connections of one process. At the limit, the one that was not used for longest is closed. */
  MCP_CONNECTIONS: integer(500, 1, 10_000),
  /** Sessions at one server, of all conversations. At the limit, the one that was not used for longest is ended. */
  MCP_SERVER_SESSIONS: integer(50, 1, 10_000),
  /** How often sessions are ended that were left by processes that are gone. */
  MCP_SESSION_SWEEP_MS: integer(60_000, 50, 3_600_000),
  /** Days until it is forgotten that a conversation had a session. Until then, it is informed that it is gone. */
  MCP_SESSION_DAYS: integer(30, 1, 3_650),
  /** How often each server is listed that does not say how long its listing holds (`ttlMs`). */
  DISCOVERY_EVERY_MS: integer(900_000, 100, 86_400_000),
  /** A server that says how long its listing holds is listed when that has passed, but at least this long after, */
  DISCOVERY_TTL_MIN_MS: integer(60_000, 100, 86_400_000),
  /** and at most this long after. */
  DISCOVERY_TTL_MAX_MS: integer(86_400_000, 100, 604_800_000),
  DISCOVERY_SWEEP_MS: integer(10_000, 50, 3_600_000),
  SERVERS_PER_PROJECT: integer(200, 1, 10_000),
  /** How long credential values that do not change are cached before the vault is asked again. */
  CREDENTIAL_CACHE_MS: integer(2_000, 0, 60_000),
  COMPILE_TIMEOUT_MS: integer(30_000, 100, 120_000),
  /** How long to wait for a Python tool that a person tries. The engine and the runner time out earlier. */
  TRY_TIMEOUT_MS: integer(60_000, 1_000, 600_000),
  /** How often the answer to a try shows that it is still awaited: shorter than any proxy on the way waits. */
  TRY_SILENCE_MS: integer(15_000, 50, 600_000),
  /** Days that call records are kept. */
  CALL_RECORD_DAYS: integer(90, 1, 3_650),
};

/** Read once at boot. @throws Error with every setting that is wrong */
export const readSettings = (environment?: NodeJS.ProcessEnv) => readEnv(settings, environment);

export type RegistrySettings = ReturnType<typeof readSettings>;
