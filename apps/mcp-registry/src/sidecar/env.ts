import { integer, readEnv, type Reader, text } from '#libs/service-kit';
import { readServerFile } from './server-file.js';

/** Shorter ones can be guessed. */
const minTokenLength = 32;

const token: Reader<string> = (name, value) => {
  if ((value ?? '').length < minTokenLength) {
    throw new Error(`${name} is not set, or too short: give at least ${minTokenLength} characters, made at random`);
  }
  return value ?? '';
};

export const env = readEnv({
  PORT: integer(8080, 1, 65_535),
  HOST: text('127.0.0.1'),
  LOG_LEVEL: text('info'),
  /** Which servers there are, and the command of each: nothing that comes over the network can name one. */
  MCP_SIDECAR_FILE: (name, value) => readServerFile(text()(name, value)),
  /** What a caller shows as its bearer token. */
  MCP_SIDECAR_TOKEN: token,
  /** Of one message, in either direction. */
  MCP_SIDECAR_MESSAGE_BYTES: integer(4_194_304, 1_024, 104_857_600),
  /** At a time, of all servers together; each has a process of its own. */
  MCP_SIDECAR_SESSIONS: integer(16, 1, 1_000),
  /** Of one session, not answered or not yet taken by its process. */
  MCP_SIDECAR_PENDING: integer(64, 1, 10_000),
  /** A session that no request came for ends after this: longer than the longest call. */
  MCP_SIDECAR_IDLE_MS: integer(900_000, 100, 86_400_000),
  /** A process that ends by itself before this is not well: the next start waits, each time twice as long. */
  MCP_SIDECAR_HEALTHY_MS: integer(10_000, 10, 3_600_000),
  MCP_SIDECAR_BACKOFF_MS: integer(1_000, 10, 600_000),
  MCP_SIDECAR_BACKOFF_MAX_MS: integer(60_000, 10, 3_600_000),
});

export type SidecarSettings = typeof env;
