import type { PythonAsked, PythonRunAnswer, PythonTryAnswer, PythonTryRequest } from '#libs/contracts';
import type { Principal, ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { createHash, randomBytes } from 'node:crypto';
import { type EngineSettings, PYTHON_RUNNER, SETTINGS } from '../../settings.js';
import { ArgumentCheck } from '../../path/tools/argument-check.js';
import { CredentialReader } from '../../path/tools/bound-credentials.js';
import { askedWithout, credentialValues, refusalOf, runRequest } from '../../path/tools/registry/registry-tool.js';
import { isFailure } from '../../path/tools/tool.js';
import { PythonTryRepository } from './python-try.repository.js';

/** How long after the call's time-out its token stays valid if this process dies. */
const graceMs = 5_000;

/** Runs a Python tool once by hand, with the credentials and HTTP access of a turn and with its own grade. */
@Injectable()
export class PythonTryService {
  constructor(
    private readonly tries: PythonTryRepository,
    private readonly check: ArgumentCheck,
    private readonly credentials: CredentialReader,
    @Inject(PYTHON_RUNNER) private readonly runner: ServiceClient,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  async run(caller: Principal, asked: PythonTryRequest): Promise<PythonTryAnswer> {
    const problem = this.check.problem(asked.input_schema, asked.arguments);
    if (problem) return { ok: false, error: 'invalid_arguments', message: problem, stdout: '' };
    const given = await credentialValues(this.credentials.of(asked.credential_bindings ?? []), caller);
    if (isFailure(given)) return { ok: false, error: given.error.code, message: given.error.message, stdout: '' };
    const timeoutMs = Math.min(asked.timeout_ms ?? this.settings.TOOL_TIMEOUT_MS, this.settings.TOOL_TIMEOUT_MS);
    const token = randomBytes(32).toString('base64url');
    const tokenSha256 = createHash('sha256').update(token).digest('hex');
    const { organizationId: organization_id, projectId: project_id } = caller;
    const owner = { organization_id, project_id, tool_id: asked.tool_id, grade: asked.grade, tokens: given.tokens };
    await this.tries.begin({ callback_sha256: tokenSha256, ...owner }, timeoutMs + graceMs);
    try {
      const body = runRequest(
        { callId: asked.call_id, organizationId: organization_id, python: asked.python, arguments: asked.arguments },
        { credentials: given.values, callbackToken: token },
        { timeoutMs, engineUrl: this.settings.ENGINE_URL },
      );
      const { requests, ...answer }: PythonTryAnswer & { requests?: PythonAsked[] } = await this.runner
        .post<PythonRunAnswer>('/internal/run', caller, body)
        .catch((error: unknown) => ({ ...refusalOf(error), stdout: '' }));
      const note = askedWithout(requests, asked.credential_bindings ?? []);
      return note === null ? answer : { ...answer, note };
    } finally {
      await this.tries.end(tokenSha256);
    }
  }
}
