import type { PythonRunRequest, ToolsetTool } from '#libs/contracts';
import type { BoundCredentials, CredentialFields } from '../bound-credentials.js';
import { isFailure, type ToolFailure, type TurnScope } from '../tool.js';

/** What the runner is asked for one call. */
export function runRequest(
  call: {
    callId: string;
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
    ...call.python,
    arguments: call.arguments,
    credentials: given.credentials,
    timeout_ms: limits.timeoutMs,
    callback_url: `${limits.engineUrl}/internal/python-callbacks`,
    callback_token: given.callbackToken,
  };
}

/** The fields of every credential that a tool may ask for, by name; the first one that cannot be read is a failure. */
export async function credentialValues(
  credentials: BoundCredentials,
  scope: Pick<TurnScope, 'organizationId' | 'projectId'>,
): Promise<Record<string, CredentialFields> | ToolFailure> {
  const values: Record<string, CredentialFields> = {};
  for (const { as } of credentials.bindings) {
    const credential = await credentials.read(scope, as);
    if (isFailure(credential)) return credential;
    values[as] = credential.fields;
  }
  return values;
}
