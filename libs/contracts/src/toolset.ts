import type { ContentTrust } from './content-trust.js';

/** How much a call of a tool can change, least first. */
export const toolGrades = ['read', 'write', 'destructive'] as const;
export type ToolGrade = (typeof toolGrades)[number];

/** A credential that a Skill gives its tools, under the name by which they ask for it. */
export interface CredentialBinding {
  credential_id: string;
  as: string;
  /** The Skill that it is bound to, on whose behalf it is read. */
  skill_id: string;
  /** Where the platform may send it (`api.example.com`, `*.example.com`, `host:port`); absent: as its record says. */
  hosts?: string[];
  /** The header that carries it and the prefix of its value; absent: as its own record says, else `Bearer`. */
  header?: string;
  scheme?: string;
  /** How far answers of these hosts are trusted; absent: not. */
  trust?: ContentTrust;
}

/** One tool as the registry gives it to the engine: approved, with texts from the registry's own rows. */
export interface ToolsetTool {
  id: string;
  source: 'builtin' | 'python' | 'mcp';
  name: string;
  title?: string;
  description: string;
  input_schema: Record<string, unknown>;
  grade: ToolGrade;
  idempotent: boolean;
  /** How far its results are trusted; of a Python tool, those for which its code has asked anybody. */
  trust: ContentTrust;
  /** Its calls may reach parties that their arguments name. */
  open_world: boolean;
  /** Null for a Python tool that belongs to an agent. */
  skill_id: string | null;
  skill_slug: string | null;
  /** `<skill>__<tool>`, at most 64 of `[A-Za-z0-9_-]`: the name that the model calls. */
  model_name: string;
  credential_bindings: CredentialBinding[];
  /** SHA-256 over the canonical definition: a call names the definition that it was made for. */
  pin: string;
  /** Only for `mcp` tools: how long a call may take in all, with its connection. Absent: an earlier release. */
  call_max_ms?: number;
  /** Only for `python` tools. */
  python?: { source: string; source_sha256: string; function: string };
}

/**
 * Everything that the registry knows about one agent's tools, for one turn: its answer to `GET
 * /internal/toolsets?skill_ids=a,b&tool_ids=c,d&agent_id=e`. The ids are the agent's Skills and the Python tools that
 * it has without one; the engine stores both.
 */
export interface Toolset {
  skills: { id: string; slug: string; name: string; knowledge: string; version: number }[];
  tools: ToolsetTool[];
  /** Skills that cannot be used now, and why. */
  problems: { skill_id: string; message: string }[];
  /** Named tools that are not given to any model. */
  left_out: LeftOutTool[];
}

/** A tool that an agent has and its model does not get, or gets only by a search. */
export interface LeftOutTool {
  /** The registry's id, `builtin:<name>` of a built-in. Absent: an earlier release. */
  id?: string;
  name: string;
  /** The slug of its Skill; null: the agent has it directly. */
  skill: string | null;
  /** A code. */
  reason: string;
  /** As a sentence for people. */
  what_to_do: string;
}

/**
 * What a server says while a call runs. Who accepts `application/x-ndjson` gets a line for each before the answer, which
 * is then a line too.
 */
export interface McpCallProgress {
  /** In words. */
  progress: string;
}

/**
 * Why a session is gone: its server lost it (or its process ended), nobody used it, others needed its place, or the
 * server is reached in another way.
 */
export type McpSessionEnd = 'lost' | 'idle' | 'evicted' | 'changed';

/** An image in a call's result. */
export interface ToolImage {
  media_type: string;
  /** Base64. */
  data: string;
}

/** What a server asks the user for before it answers a call: `elicitation/create` of MCP 2026-07-28. */
export type McpQuestion =
  | {
      mode: 'form';
      message: string;
      /** Of an object whose members are texts, numbers, yes or no, or choices. */
      schema: Record<string, unknown>;
    }
  | { mode: 'url'; message: string; url: string };

/** What the user answered, by the server's keys. `content` only of an accepted form. */
export type McpAnswers = Record<
  string,
  { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string | number | boolean | string[]> }
>;

/** A call that has no result yet: its server asks for something, or works on it as a task. */
export interface McpCallWaits {
  server: { id: string; name: string };
  /** By the server's keys; none: it only wants to be asked again. */
  questions: Record<string, McpQuestion>;
  /** What the server wants to get back with the answers, as it is. */
  state?: string;
  task?: {
    id: string;
    poll_ms: number;
    /** How long the server keeps the task, from its creation; null: without end. */
    ttl_ms: number | null;
    /** What the server says about it; null: nothing. */
    words: string | null;
  };
}

/** How the engine goes on with a call that waits: with answers, by looking at its task, or by cancelling that. */
export interface McpCallContinued {
  answers?: McpAnswers;
  state?: string;
  task_id?: string;
  cancel?: true;
}

/**
 * The registry's answer to `POST /internal/tool-calls` `{tool_id, pin, arguments, call_id, conversation, timeout_ms,
 * may_wait, may_ask, continued}`.
 */
export type McpCallAnswer =
  | { ok: true; waits: McpCallWaits }
  | {
      ok: true;
      content: string;
      is_error: boolean;
      truncated: boolean;
      structured?: Record<string, unknown>;
      /** As far as the caller takes them; the content names each, taken or not. */
      images?: ToolImage[];
      /** The conversation had a session at the server, and what that kept is gone. */
      session_renewed?: McpSessionEnd | true;
    }
  | { ok: false; error: string; message: string; retryable: boolean };

/** An address that a Python tool's code asked for. */
export interface PythonAsked {
  /** Without path and query, as in `https://api.example.com:8443`. */
  origin: string;
  /** The names of the credentials that the code had read by then. */
  credentials: string[];
}

/** The runner's answer to `POST /internal/run`. */
export type PythonRunAnswer = (
  | { ok: true; result: unknown; stdout: string; truncated: boolean; duration_ms: number }
  | {
      ok: false;
      error: 'timeout' | 'memory' | 'crashed' | 'exception' | 'invalid_result' | 'host_call_refused';
      message: string;
      stdout: string;
      /** Line of the tool's source, from 1, if it failed there. */
      line?: number;
    }
) & {
  /** Each with the same address and credentials once. Absent: none, or an earlier release. */
  requests?: PythonAsked[];
};

/** Registry → `POST /internal/python-tries` of the engine: a person tries a Python tool outside of a turn. */
export interface PythonTryRequest {
  /** The registry's name for the call, for the record. */
  call_id: string;
  tool_id: string;
  grade: ToolGrade;
  python: NonNullable<ToolsetTool['python']>;
  input_schema: Record<string, unknown>;
  arguments: Record<string, unknown>;
  timeout_ms?: number;
  credential_bindings?: CredentialBinding[];
}

/** The engine's answer to that, with status 200. */
export type PythonTryAnswer = (
  | Omit<Extract<PythonRunAnswer, { ok: true }>, 'requests'>
  | { ok: false; error: string; message: string; stdout: string; line?: number }
) & {
  /** What its result does not show, in words. */
  note?: string;
};
