import { integer, readEnv, type Reader, text } from '#libs/service-kit';
import { readServerFile } from './server-file.js';

/** A shorter token could be guessed. */
const minTokenLength = 32;

const token: Reader<string> = (name, value) => {
  if ((value ?? '').length < minTokenLength) {
    throw new Error(`${name} must be a random value of at least ${minTokenLength} characters`);
  }
  return value ?? '';
};

export const env = readEnv({
  PORT: integer(8080, 1, 65_535),
  HOST: text('127.0.0.1'),
  LOG_LEVEL: text('info'),
  /** The servers and their commands. Nothing that arrives over the network can name a command. */
  MCP_SIDECAR_FILE: (name, value) => readServerFile(text()(name, value)),
  /** The bearer token that callers present. */
  MCP_SIDECAR_TOKEN: token,
  /** Bytes of one message, in either direction. */
  MCP_SIDECAR_MESSAGE_BYTES: integer(4_194_304, 1_024, 104_857_600),
  /** Concurrent sessions of all servers together; each has its own process. */
  MCP_SIDECAR_SESSIONS: integer(64, 1, 1_000),
  /** Messages of one session that are unanswered or not yet read by its process. */
  MCP_SIDECAR_PENDING: integer(64, 1, 10_000),
  /** A session ends after this long without a request. It has to exceed the longest call. */
  MCP_SIDECAR_IDLE_MS: integer(900_000, 100, 86_400_000),
  /**
   * A process that exits by itself sooner than this is unhealthy: the next start is delayed, twice as long each time.
   */
  MCP_SIDECAR_HEALTHY_MS: integer(10_000, 10, 3_600_000),
  MCP_SIDECAR_BACKOFF_MS: integer(1_000, 10, 600_000),
  MCP_SIDECAR_BACKOFF_MAX_MS: integer(60_000, 10, 3_600_000),
});

export type SidecarSettings = typeof env;
