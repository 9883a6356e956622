import type { ChangeSettings } from '#libs/database';

/** Per million tokens, in the installation's currency. */
export interface ModelPrice {
  input: number;
  output: number;
}

/** The engine's settings: `env.ts` reads them, tests set them. */
export interface EngineSettings extends ChangeSettings {
  DATABASE_POOL: number;
  ROUTER_URL: string;
  GATEWAY_URL: string;
  VAULT_URL: string;
  MCP_REGISTRY_URL: string;
  PYTHON_RUNNER_URL: string;
  /** The address of this engine, for HTTP requests of Python tools. */
  ENGINE_URL: string;
  /** Base URL of an OpenAI-compatible API; null: the rehearsal model answers. */
  MODEL_BASE_URL: string | null;
  MODEL_NAME: string | null;
  MODEL_API_KEY: string | null;
  /** Asked when an agent's model gives no answer, unless the agent names another; null: the turn is retried later. */
  MODEL_FALLBACK_NAME: string | null;
  /** What models take besides text: `image`. */
  MODEL_INPUTS: string[];
  /** 1: models are asked for streams, so that people see an answer while it is written. 0: for whole answers. */
  MODEL_STREAMING: number;
  MODEL_PRICES: Record<string, ModelPrice>;
  MODEL_CURRENCY: string;
  /** Longest wait for a whole answer, or for the next piece of a stream. */
  MODEL_TIMEOUT_MS: number;
  MODEL_MAX_OUTPUT_TOKENS: number;
  /** A larger answer counts as one that cannot be read. */
  MODEL_ANSWER_BYTES: number;
  /** How long each check of a provider's test may take. */
  MODEL_TEST_MS: number;
  /** Failures in a row after which only one turn at a time tries a model; and the longest time between two trials. */
  MODEL_BREAKER_FAILURES: number;
  MODEL_TRIAL_MS: number;
  /** Addresses that tools may reach in addition to the public internet. */
  GATEHOUSE_EGRESS_ALLOW: string[];
  /** A larger reply is left out of its job and read from here. */
  INLINE_LIMIT_BYTES: number;
  TURN_LEASE_MS: number;
  /** Model calls of one turn; the last one has no tools. */
  TURN_MAX_STEPS: number;
  TURN_MAX_TOOL_CALLS: number;
  /** Calls that only read and may run in parallel. */
  TURN_PARALLEL_CALLS: number;
  /** Tools that a model is shown at once, besides `find_tools` and `read_result`. It finds the others by a search. */
  TURN_MAX_TOOLS: number;
  /** How many of those places are for found tools. A tool that is found later replaces the one found first. */
  TURN_FOUND_TOOLS: number;
  /** How often a read may give the same result in a turn. */
  TURN_MAX_SAME_READS: number;
  TURN_WALL_CLOCK_MS: number;
  /**
   * Limits of tokens, and of cost in millionths; 0: none. For a turn, an agent's day, a contact's day with the agent.
   */
  TURN_MAX_TOKENS: number;
  TURN_MAX_COST_MICROS: number;
  DAY_MAX_TOKENS: number;
  DAY_MAX_COST_MICROS: number;
  CONTACT_DAY_MAX_TOKENS: number;
  CONTACT_DAY_MAX_COST_MICROS: number;
  /** Characters that those who follow a turn see before it ends, and the shortest time between two writes of them. */
  TURN_PREVIEW_CHARS: number;
  TURN_PREVIEW_EVERY_MS: number;
  TURN_TYPING_EVERY_MS: number;
  /** Streams of what turns write that one process serves, in all and per project. */
  TURN_STREAMS: number;
  TURN_STREAMS_PER_PROJECT: number;
  /** The shortest time between two frames of a stream, and between two reads of what other processes write. */
  TURN_STREAM_EVERY_MS: number;
  EVENT_STREAM_HEARTBEAT_MS: number;
  /** Sessions that one request searches, for a text or for the last conversations of an agent. */
  SESSION_SEARCH_SCAN: number;
  EVENT_STREAM_MAX_MS: number;
  /** How long a call waits for a person before it counts as refused. */
  APPROVAL_WAIT_MS: number;
  APPROVAL_ASK_CHARS: number;
  /** Tries of one turn before it fails for good, however often its job is added anew. Waits do not count. */
  TURN_MAX_ATTEMPTS: number;
  /** Tries of one turn whose model answers what cannot be read, or breaks off: each of them is paid for. */
  TURN_MAX_UNREADABLE: number;
  /** Deaths of its process after which a turn that killed it alone is dead. */
  POISON_KILLS: number;
  /** How long a suspect has its process for itself, after one death. */
  POISON_TRIAL_MS: number;
  /** How long a turn waits for a model or tool registry that is away. */
  TURN_WAIT_MS: number;
  /** Turns that wait longer than this for something are listed under Needs attention. */
  TURN_ATTENTION_MS: number;
  /** Versions of an agent that are kept; the one in force always is. */
  AGENT_VERSIONS: number;
  /** Messages of one conversation in which a person tries an agent. */
  TRIAL_TURNS: number;
  /** Cases of one comparison of two versions, and how many of them are under way at once. */
  COMPARISON_CASES: number;
  COMPARISON_AT_ONCE: number;
  /** Comparisons of a project that have not ended. */
  COMPARISONS_OPEN: number;
  /** How often cases whose turns run are looked at. */
  COMPARISON_EVERY_MS: number;
  /** Characters of the summary of a session's older turns. */
  SESSION_SUMMARY_CHARS: number;
  /** How long a limit that a model has refused a conversation by is remembered. */
  MODEL_WINDOW_KEPT_MS: number;
  /** How often a turn's conversation is shortened when the model says that it is too long. */
  TURN_MAX_SHORTENINGS: number;
  /** Earlier turns of the session that the model is shown. */
  TURN_WINDOW: number;
  /** Characters shown of each text of an earlier turn. */
  TURN_WINDOW_CHARS: number;
  /** How much of a tool's result reaches the model at once. It reads the rest by `read_result`. */
  TOOL_RESULT_BYTES: number;
  /** How much of a tool's result is stored at all. */
  TOOL_RESULT_KEPT_BYTES: number;
  /** HTTP requests that one call of a Python tool may make. */
  /** Bytes of images that the model is shown in a turn. */
  TURN_IMAGE_BYTES: number;
  TOOL_CALLBACKS: number;
  TOOL_TIMEOUT_MS: number;
  /** Characters of one document. */
  DOCUMENT_MAX_CHARS: number;
  /** How long a process that receives no change notifications may run a changed agent in its old form. */
  AGENT_CACHE_MS: number;
  /** Concurrent turns of a project without a limit of its own; further turns wait. 0: no limit. */
  PROJECT_CONCURRENT_TURNS: number;
  /** How long a turn waits for a turn of its App whose message was acknowledged earlier and is still on its way. */
  ORDER_WAIT_MS: number;
  SWEEP_EVERY_MS: number;
  /** How long ago a lease must have ended, or a reply been offered, before a sweeper acts. */
  SWEEP_AFTER_MS: number;
  /** How long turns, silent sessions and request keys are kept. */
  RETENTION_DAYS: number;
}

/** Injection token of `EngineSettings`. */
export const SETTINGS = Symbol('EngineSettings');

/** Injection tokens for the clients of other services. The router's is `ServiceClient` itself. */
export const VAULT = Symbol('credential-vault');
export const GATEWAY = Symbol('adapter-gateway');
export const REGISTRY = Symbol('mcp-registry');
export const PYTHON_RUNNER = Symbol('python-runner');

/** Injection token of the egress guard for everything that tools call. */
export const EGRESS = Symbol('Egress');
