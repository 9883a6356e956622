import {
  type CredentialBinding,
  type McpSessionEnd,
  type PythonAsked,
  type PythonRunAnswer,
  type PythonRunRequest,
  scopeOf,
  type Toolset,
  type ToolsetTool,
} from '#libs/contracts';
import { linksIn } from '#libs/sanitizer';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { Agent } from '../../../entities/agent.entity.js';
import { REGISTRY } from '../../../settings.js';
import type { GivenToken } from '../../../entities/turn.entity.js';
import type { BoundCredentials, CredentialFields } from '../bound-credentials.js';
import {
  conversationOf,
  failure,
  isFailure,
  isNamed,
  type McpCalls,
  noteIn,
  type Tool,
  type ToolFailure,
  type TurnScope,
} from '../tool.js';

/** The registry did not return the agent's tools. The turn is retried later rather than run without them. */
export class ToolsetUnavailable extends Error {
  override readonly name = 'ToolsetUnavailable';
  readonly code = 'toolset_unavailable';
}

const nothing: Toolset = { skills: [], tools: [], problems: [], left_out: [] };

/** Asks the registry for an agent's tools. For an agent without Skills and Python tools, no request is made. */
@Injectable()
export class ToolsetClient {
  constructor(@Inject(REGISTRY) private readonly registry: ServiceClient) {}

  /** @throws ToolsetUnavailable */
  async of(agent: Agent): Promise<Toolset> {
    if (agent.skills.length + agent.python_tools.length === 0) return nothing;
    const query = new URLSearchParams({
      skill_ids: agent.skills.join(','),
      tool_ids: agent.python_tools.join(','),
      agent_id: agent.id,
    });
    const scope = scopeOf(agent);
    try {
      return await this.registry.get<Toolset>(`/internal/toolsets?${query.toString()}`, scope);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      throw new ToolsetUnavailable(`the registry did not give the toolset: ${error.code}`, { cause: error });
    }
  }
}

/** What all tools of the registry have in common. */
function describedBy(definition: ToolsetTool): Omit<Tool, 'run' | 'external'> {
  return {
    name: definition.model_name,
    description: definition.description,
    parameters: definition.input_schema,
    source: definition.source,
    skill: definition.skill_slug,
    id: definition.id,
    pin: definition.pin,
    least: definition.grade,
    grade: () => definition.grade,
    idempotent: () => definition.idempotent,
    elsewhere: (args, hosts) => (definition.open_world && definition.trust !== 'own' ? unnamedHost(args, hosts) : null),
  };
}

/** The host of an address in the arguments that is none of these. */
function unnamedHost(args: Record<string, unknown>, hosts: readonly string[]): string | null {
  const urls = linksIn(JSON.stringify(args)).filter((link) => URL.canParse(link));
  return urls.map((url) => new URL(url)).find((url) => !isNamed(url, hosts))?.host ?? null;
}

const gone = 'a new one was opened: what it kept there of earlier calls (an open page, a login) is gone.';
const sessionGone: Record<McpSessionEnd, string> = {
  lost: `The server had lost this conversation's session, and ${gone}`,
  idle: `This conversation's session at the server was ended because it was not used, and ${gone}`,
  evicted: `This conversation's session at the server was ended because others needed its place, and ${gone}`,
  changed: `This conversation's session was ended because the server's settings were changed, and ${gone}`,
};

/** A tool of an MCP server. */
export function mcpTool(definition: ToolsetTool, calls: McpCalls): Tool {
  return {
    ...describedBy(definition),
    external: true,
    trustOf: () => definition.trust,
    noted: noteIn,
    run: async (args, call) => {
      const answer = await calls.make(definition, args, call);
      if (!answer.ok) return failure(answer.error, answer.message);
      const { content, is_error, truncated, structured, images = [], session_renewed: renewed } = answer;
      if (images.length > 0) call.show(images);
      // A tool's own error goes to the model like an answer.
      return {
        ...(renewed ? { note: sessionGone[renewed === true ? 'lost' : renewed] } : {}),
        ...(is_error ? { is_error } : {}),
        content,
        ...(structured ? { structured } : {}),
        ...(truncated ? { truncated } : {}),
      };
    },
  };
}

/** A service that gave no answer may have made the call. One that refused has not. */
export function refusalOf(error: unknown): { ok: false; error: string; message: string } {
  if (!(error instanceof Problem)) throw error;
  if (error.code === 'service_unavailable' || error.status === 504) {
    return { ok: false, error: 'outcome_unknown', message: 'The call gave no answer: it may have had its effect.' };
  }
  return { ok: false, error: error.code, message: error.detail.slice(0, 500) };
}

/** @throws the signal's reason as soon as it is aborted; the call itself ends by its own time-out */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

export interface PythonRuns {
  runner: ServiceClient;
  timeoutMs: number;
  /** The engine's address, as the runner reaches it. */
  engineUrl: string;
  /** Whether a call's code has asked the engine for anything. If not, it has only read what the model gave it. */
  hasAsked(callbackToken: string): Promise<boolean>;
  /** Notes which access tokens a call's code has, so that refused ones are recognised in its requests. */
  noteTokens(callbackToken: string, tokens: GivenToken[]): Promise<void>;
}

/** Values that a tool's code gets, and which of them are access tokens. */
interface GivenCredentials {
  values: Record<string, CredentialFields>;
  tokens: GivenToken[];
}

/** A Python tool, run in the sandbox. The engine provides its credentials and makes its HTTP requests. */
export function pythonTool(definition: ToolsetTool, credentials: BoundCredentials, runs: PythonRuns): Tool {
  return {
    ...describedBy(definition),
    external: true,
    noted: noteIn,
    trustOf: async (_result, { callbackToken }) => ((await runs.hasAsked(callbackToken)) ? definition.trust : 'own'),
    run: async (args, call) => {
      const { python } = definition;
      if (!python) return failure('tool_unavailable', 'The registry gave no source of this tool.');
      const given = await credentialValues(credentials, call.turn);
      if (isFailure(given)) return given;
      if (given.tokens.length > 0) await runs.noteTokens(call.callbackToken, given.tokens);
      const { turnId, organizationId } = call.turn;
      const body = runRequest(
        {
          callId: `${turnId}.${call.ref}`,
          conversation: conversationOf(call.turn),
          organizationId,
          python,
          arguments: args,
        },
        { credentials: given.values, callbackToken: call.callbackToken },
        runs,
      );
      const asked = runs.runner.post<PythonRunAnswer>('/internal/run', call.turn, body);
      const answer = await unlessAborted(asked, call.signal).catch(refusalOf);
      const without = 'requests' in answer ? askedWithout(answer.requests, credentials.bindings) : null;
      const note = without === null ? {} : { note: without };
      if (!answer.ok) return { ...failure(answer.error, answer.message.slice(0, 1_000)), ...note };
      const { result, stdout, truncated } = answer;
      return { ...note, result, ...(stdout ? { stdout } : {}), ...(truncated ? { truncated } : {}) };
    },
  };
}

/** The runner's request for one call. */
export function runRequest(
  call: {
    callId: string;
    /** Absent: the call is one by itself. */
    conversation?: string;
    organizationId: string;
    python: NonNullable<ToolsetTool['python']>;
    arguments: Record<string, unknown>;
  },
  given: { credentials: Record<string, CredentialFields>; callbackToken: string },
  limits: { timeoutMs: number; engineUrl: string },
): PythonRunRequest {
  return {
    call_id: call.callId.slice(0, 200),
    organization_id: call.organizationId,
    ...(call.conversation === undefined ? {} : { conversation: call.conversation }),
    ...call.python,
    arguments: call.arguments,
    credentials: given.credentials,
    timeout_ms: limits.timeoutMs,
    callback_url: `${limits.engineUrl}/internal/python-callbacks`,
    callback_token: given.callbackToken,
  };
}

/** The fields of every credential that a tool may ask for, by name. If one cannot be read, that failure is returned. */
export async function credentialValues(
  credentials: BoundCredentials,
  scope: Pick<TurnScope, 'organizationId' | 'projectId'>,
): Promise<GivenCredentials | ToolFailure> {
  const values: Record<string, CredentialFields> = {};
  const tokens: GivenToken[] = [];
  for (const { as } of credentials.bindings) {
    const credential = await credentials.read(scope, as);
    if (isFailure(credential)) return credential;
    values[as] = credential.fields;
    if (credential.token) tokens.push(credential.token);
  }
  return { values, tokens };
}

/**
 * The requests of a Python tool's code that were made before it had read the credential that its Skill sends to their
 * host, or any where no host is named, in words; null: there are none. Code puts its credentials into requests by
 * itself, so what it has not read is in none of them.
 */
export function askedWithout(
  requests: readonly PythonAsked[] | undefined,
  bindings: readonly CredentialBinding[],
): string | null {
  const found = new Map<string, string>();
  for (const { origin, credentials } of requests ?? []) {
    if (!URL.canParse(origin)) continue;
    const url = new URL(origin);
    const meant = bindings.filter(({ hosts = [] }) => isNamed(url, hosts));
    const wanted = meant.length > 0 ? meant : bindings;
    if (wanted.length === 0 || wanted.some(({ as }) => credentials.includes(as))) continue;
    found.set(url.host, `${url.host} without a credential (${wanted.map(wordsOf).join('; ')})`);
  }
  return found.size === 0 ? null : `The code of this tool asked ${[...found.values()].join(', and ')}.`;
}

function wordsOf({ as, hosts = [] }: CredentialBinding): string {
  const where = hosts.length > 0 ? `, which goes to ${hosts.join(', ')}` : '';
  return `it had not read credential("${as}")${where}`;
}
