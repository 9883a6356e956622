import type { ChangeSettings } from '#libs/database';
import type { ModelPrice } from './model/model-prices.js';

/** What the engine's parts are given; `env.ts` reads it, tests write it. */
export interface EngineSettings extends ChangeSettings {
  DATABASE_POOL: number;
  ROUTER_URL: string;
  GATEWAY_URL: string;
  VAULT_URL: string;
  MCP_REGISTRY_URL: string;
  PYTHON_RUNNER_URL: string;
  /** Where this engine answers: Python tools ask it for HTTP. */
  ENGINE_URL: string;
  /** Base URL of an OpenAI-compatible API; null answers with the rehearsal model. */
  MODEL_BASE_URL: string | null;
  MODEL_NAME: string | null;
  MODEL_API_KEY: string | null;
  /** Asked when an agent's model gives no answer, unless the agent names another; null: the turn tries again later. */
  MODEL_FALLBACK_NAME: string | null;
  MODEL_PRICES: Record<string, ModelPrice>;
  MODEL_TIMEOUT_MS: number;
  MODEL_MAX_OUTPUT_TOKENS: number;
  /** Calls in a row that find a model away, until one turn at a time tries it; the longest time between two trials. */
  MODEL_BREAKER_FAILURES: number;
  MODEL_TRIAL_MS: number;
  /** Addresses that tools may reach beside the public internet. */
  GATEHOUSE_EGRESS_ALLOW: string[];
  /** A reply's content over this is left out of its job, and read from here. */
  INLINE_LIMIT_BYTES: number;
  TURN_LEASE_MS: number;
  TURN_HEARTBEAT_MS: number;
  /** Model calls of one turn; the last one has no tools. */
  TURN_MAX_STEPS: number;
  TURN_MAX_TOOL_CALLS: number;
  /** Calls that only read and may go at the same time. */
  TURN_PARALLEL_CALLS: number;
  /** Tools that a model is told of at once, beside `find_tools` and `read_result`; it finds the others by a search. */
  TURN_MAX_TOOLS: number;
  /** Of those, how many a search may bring: found later, a tool takes the place of the one found first. */
  TURN_FOUND_TOOLS: number;
  /** How often a call that only reads may give the same result in a turn. */
  TURN_MAX_SAME_READS: number;
  TURN_WALL_CLOCK_MS: number;
  /** Limits of tokens and of cost in millionths, 0 for none: of one turn, of an agent's day, of a contact's day with it. */
  TURN_MAX_TOKENS: number;
  TURN_MAX_COST_MICROS: number;
  DAY_MAX_TOKENS: number;
  DAY_MAX_COST_MICROS: number;
  CONTACT_DAY_MAX_TOKENS: number;
  CONTACT_DAY_MAX_COST_MICROS: number;
  /** How long a call waits for a person before it counts as refused. */
  APPROVAL_WAIT_MS: number;
  /** Tries of one turn before it fails for good, however often its job is added anew; waits are none. */
  TURN_MAX_ATTEMPTS: number;
  /** How long a turn waits for a model, or a registry of tools, that is away. */
  TURN_WAIT_MS: number;
  /** How often a turn's conversation is shortened for a model that says it is too long. */
  TURN_MAX_SHORTENINGS: number;
  /** Earlier turns of the session that the model is shown. */
  TURN_WINDOW: number;
  /** Characters shown of each text of an earlier turn. */
  TURN_WINDOW_CHARS: number;
  /** Of a tool's answer, what reaches the model at once; the rest it reads by `read_result`. */
  TOOL_RESULT_BYTES: number;
  /** Of a tool's answer, what is stored at all. */
  TOOL_RESULT_KEPT_BYTES: number;
  /** HTTP requests that one call of a Python tool may make. */
  TOOL_CALLBACKS: number;
  TOOL_TIMEOUT_MS: number;
  /** Characters of one document. */
  DOCUMENT_MAX_CHARS: number;
  /** How long a changed agent may still run as it was, in a process that does not hear of changes. */
  AGENT_CACHE_MS: number;
  /** Turns of one project that run at a time, where it has no limit of its own; more wait. 0: no limit. */
  PROJECT_CONCURRENT_TURNS: number;
  /** How long a turn waits for one whose message was acknowledged earlier in its App, and is still on its way. */
  ORDER_WAIT_MS: number;
  SWEEP_EVERY_MS: number;
  /** How long a turn's lease has to be over, or a reply offered, before a sweeper takes it. */
  SWEEP_AFTER_MS: number;
  /** How long turns, silent sessions and request keys are kept. */
  RETENTION_DAYS: number;
}

/** Injection token of `EngineSettings`. */
export const SETTINGS = Symbol('EngineSettings');
