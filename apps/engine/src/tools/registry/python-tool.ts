import type { PythonRunAnswer, PythonRunRequest, ToolsetTool } from '#libs/contracts';
import type { ServiceClient } from '#libs/service-kit';
import type { GivenToken } from '../../entities/turn.entity.js';
import type { BoundCredentials, CredentialFields } from '../bound-credentials.js';
import { conversationOf, failure, isFailure, type Tool, type ToolFailure, type TurnScope } from '../tool.js';
import { describedBy, refusalOf, unlessAborted } from './mcp-tool.js';

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
      if (!answer.ok) return failure(answer.error, answer.message.slice(0, 1_000));
      const { result, stdout, truncated } = answer;
      return { result, ...(stdout ? { stdout } : {}), ...(truncated ? { truncated } : {}) };
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
