import type { PythonRunAnswer, PythonRunRequest, ToolsetTool } from '#libs/contracts';
import type { ServiceClient } from '#libs/service-kit';
import type { BoundCredentials, CredentialFields } from '../bound-credentials.js';
import { type CallSite, failure, isFailure, type Tool, type ToolFailure } from '../tool.js';
import { describedBy, refusalOf, unlessAborted } from './mcp-tool.js';

export interface PythonRuns {
  runner: ServiceClient;
  timeoutMs: number;
  /** The engine's own address, as the runner knows it. */
  engineUrl: string;
}

/** A Python tool, run in the sandbox; its credentials and its HTTP come from here. */
export function pythonTool(definition: ToolsetTool, credentials: BoundCredentials, runs: PythonRuns): Tool {
  return {
    ...describedBy(definition),
    external: true,
    run: async (args, call) => {
      const { python } = definition;
      if (!python) return failure('tool_unavailable', 'The registry gave no source of this tool.');
      const given = await valuesOf(credentials, call);
      if (isFailure(given)) return given;
      const body: PythonRunRequest = {
        call_id: `${call.turn.turnId}.${call.ref}`.slice(0, 200),
        organization_id: call.turn.organizationId,
        ...python,
        arguments: args,
        credentials: given,
        timeout_ms: runs.timeoutMs,
        callback_url: `${runs.engineUrl}/internal/python-callbacks`,
        callback_token: call.callbackToken,
      };
      const asked = runs.runner.post<PythonRunAnswer>('/internal/run', call.turn, body);
      const answer = await unlessAborted(asked, call.signal).catch(refusalOf);
      if (!answer.ok) return failure(answer.error, answer.message.slice(0, 1_000));
      const { result, stdout, truncated } = answer;
      return { result, ...(stdout ? { stdout } : {}), ...(truncated ? { truncated } : {}) };
    },
  };
}

async function valuesOf(
  credentials: BoundCredentials,
  call: CallSite,
): Promise<Record<string, CredentialFields> | ToolFailure> {
  const values: Record<string, CredentialFields> = {};
  for (const { as } of credentials.bindings) {
    const credential = await credentials.read(call.turn, as);
    if (isFailure(credential)) return credential;
    values[as] = credential.fields;
  }
  return values;
}
