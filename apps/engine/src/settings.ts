/** What the engine's parts are given; `env.ts` reads it, tests write it. */
export interface EngineSettings {
  DATABASE_URL: string;
  DATABASE_POOL: number;
  ROUTER_URL: string;
  /** Base URL of an OpenAI-compatible API; null answers with the rehearsal model. */
  MODEL_BASE_URL: string | null;
  MODEL_NAME: string | null;
  MODEL_API_KEY: string | null;
  MODEL_TIMEOUT_MS: number;
  MODEL_MAX_OUTPUT_TOKENS: number;
  /** Addresses that tools may reach beside the public internet. */
  GATEHOUSE_EGRESS_ALLOW: string[];
  /** A reply's content over this is left out of its job, and read from here. */
  INLINE_LIMIT_BYTES: number;
  TURN_LEASE_MS: number;
  TURN_HEARTBEAT_MS: number;
  /** Model calls of one turn; the last one has no tools. */
  TURN_MAX_STEPS: number;
  TURN_MAX_TOOL_CALLS: number;
  TURN_WALL_CLOCK_MS: number;
  /** Claims of one turn before it fails for good, however often its job is added anew. */
  TURN_MAX_ATTEMPTS: number;
  /** Earlier turns of the session that the model is shown. */
  TURN_WINDOW: number;
  /** Characters shown of each text of an earlier turn. */
  TURN_WINDOW_CHARS: number;
  /** Bytes of a tool's answer that reach the model. */
  TOOL_RESULT_BYTES: number;
  TOOL_TIMEOUT_MS: number;
  /** How long a changed agent may still run as it was, in another process. */
  AGENT_CACHE_MS: number;
  SWEEP_EVERY_MS: number;
  /** How long a turn's lease has to be over, or a reply offered, before a sweeper takes it. */
  SWEEP_AFTER_MS: number;
}

/** Injection token of `EngineSettings`. */
export const SETTINGS = Symbol('EngineSettings');
