/** How much a call of a tool can change, least first. */
export const toolGrades = ['read', 'write', 'destructive'] as const;
export type ToolGrade = (typeof toolGrades)[number];

/** A credential that a Skill gives to its tools, under the name by which a tool asks for it. */
export interface CredentialBinding {
  credential_id: string;
  as: string;
  /** The Skill that it is bound to: as that one it is read. */
  skill_id: string;
  /** Where the platform may send it (`api.example.com`, `*.example.com`, `host:port`); absent: where its own record says. */
  hosts?: string[];
  /** The header that it goes in, and what stands before it there; absent: as its own record says, else `Bearer`. */
  header?: string;
  scheme?: string;
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
  /** Null for a Python tool that belongs to an agent. */
  skill_id: string | null;
  skill_slug: string | null;
  /** `<skill>__<tool>`, at most 64 of `[A-Za-z0-9_-]`: what the model calls. */
  model_name: string;
  credential_bindings: CredentialBinding[];
  /** SHA-256 over the canonical definition: a call names the definition it was made for. */
  pin: string;
  /** Of `python` tools alone. */
  python?: { source: string; source_sha256: string; function: string };
}

/**
 * Everything that the registry knows of one agent's tools, for one turn: its answer to
 * `GET /internal/toolsets?skill_ids=a,b&tool_ids=c,d&agent_id=e`, where the ids are the agent's Skills and the Python tools
 * that it has without one; the engine keeps both.
 */
export interface Toolset {
  skills: { id: string; slug: string; name: string; knowledge: string; version: number }[];
  tools: ToolsetTool[];
  /** Skills that cannot be used now, and why. */
  problems: { skill_id: string; message: string }[];
  /** Tools that are named and that no model is given. */
  left_out: LeftOutTool[];
}

/** A tool that an agent is given and its model is not, or only by a search. */
export interface LeftOutTool {
  name: string;
  /** The slug of its Skill; null: the agent has it by itself. */
  skill: string | null;
  /** A code. */
  reason: string;
  /** In a sentence for people. */
  what_to_do: string;
}

/** What the registry answers to `POST /internal/tool-calls` `{tool_id, pin, arguments, call_id, timeout_ms}`. */
export type McpCallAnswer =
  | { ok: true; content: string; is_error: boolean; truncated: boolean; structured?: Record<string, unknown> }
  | { ok: false; error: string; message: string; retryable: boolean };

/** What the runner answers to `POST /internal/run`. */
export type PythonRunAnswer =
  | { ok: true; result: unknown; stdout: string; truncated: boolean; duration_ms: number }
  | {
      ok: false;
      error: 'timeout' | 'memory' | 'crashed' | 'exception' | 'invalid_result' | 'host_call_refused';
      message: string;
      stdout: string;
      /** Of the tool's source, from 1, where it failed there. */
      line?: number;
    };

/** Registry → `POST /internal/python-tries` of the engine: a Python tool that a person tries, outside of a turn. */
export interface PythonTryRequest {
  /** The registry's name of the call, for the record. */
  call_id: string;
  tool_id: string;
  grade: ToolGrade;
  python: NonNullable<ToolsetTool['python']>;
  input_schema: Record<string, unknown>;
  arguments: Record<string, unknown>;
  timeout_ms?: number;
  credential_bindings?: CredentialBinding[];
}

/** What the engine answers there, with status 200. */
export type PythonTryAnswer =
  Extract<PythonRunAnswer, { ok: true }> | { ok: false; error: string; message: string; stdout: string; line?: number };
