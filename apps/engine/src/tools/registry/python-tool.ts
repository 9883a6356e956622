import type { PythonRunAnswer, ToolsetTool } from '#libs/contracts';
import type { ServiceClient } from '#libs/service-kit';
import type { BoundCredentials } from '../bound-credentials.js';
import { failure, isFailure, type Tool } from '../tool.js';
import { describedBy, refusalOf, unlessAborted } from './mcp-tool.js';
import { credentialValues, runRequest } from './python-run.js';

export interface PythonRuns {
  runner: ServiceClient;
  timeoutMs: number;
  /** The engine's own address, as the runner knows it. */
  engineUrl: string;
  /** Whether the code of a call has asked the engine for anything: without that it has read what the model gave it alone. */
  hasAsked(callbackToken: string): Promise<boolean>;
}

/** A Python tool, run in the sandbox; its credentials and its HTTP come from here. */
export function pythonTool(definition: ToolsetTool, credentials: BoundCredentials, runs: PythonRuns): Tool {
  return {
    ...describedBy(definition),
    external: true,
    untrusted: (_result, { callbackToken }) => runs.hasAsked(callbackToken),
    run: async (args, call) => {
      const { python } = definition;
      if (!python) return failure('tool_unavailable', 'The registry gave no source of this tool.');
      const given = await credentialValues(credentials, call.turn);
      if (isFailure(given)) return given;
      const { turnId, organizationId } = call.turn;
      const body = runRequest(
        { callId: `${turnId}.${call.ref}`, organizationId, python, arguments: args },
        { credentials: given, callbackToken: call.callbackToken },
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
