import type { ProjectScope, PythonRunAnswer, PythonRunRequest } from '#libs/contracts';
import { Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { SandboxPool } from '../pool/sandbox-pool.js';
import type { Ending } from '../pool/sandbox.js';
import { sha256, tenantOf } from '../pool/tenant.js';
import { isObject, textOf } from '../pool/untrusted.js';
import { type RunnerSettings, SETTINGS } from '../settings.js';
import { EngineCallback } from './engine-callback.js';
import { HostCalls } from './host-calls.js';

type Failure = Extract<PythonRunAnswer, { ok: false }>;

const messages: Record<Exclude<Ending['kind'], 'answer'>, string> = {
  timeout: 'The tool did not end in time.',
  memory: 'The tool used more memory than a call may.',
  crashed: 'The tool crashed its interpreter.',
};
/** Failures that a child reports itself. It cannot report a timeout or a crash. */
const tellable: Failure['error'][] = ['exception', 'invalid_result', 'host_call_refused', 'memory'];

@Injectable()
export class RunService {
  constructor(
    @Inject(SETTINGS) private readonly settings: RunnerSettings,
    private readonly pool: SandboxPool,
    private readonly engine: EngineCallback,
  ) {}

  /** @throws Problem 403 `other_organization`, 422 (see `check`), 503 as `SandboxPool.call` */
  async run(caller: ProjectScope, run: PythonRunRequest): Promise<PythonRunAnswer> {
    if (run.organization_id !== caller.organizationId) {
      throw new Problem(403, 'other_organization', 'The token is for another organization than organization_id.');
    }
    this.check(run);
    const timeoutMs = Math.min(run.timeout_ms, this.settings.PYTHON_TIMEOUT_MS);
    const host = new HostCalls(run, this.engine, this.settings.PYTHON_HOST_CALLS);
    const { conversation = run.call_id.split('.')[0] ?? '' } = run;
    const ending = await this.pool.call(tenantOf(caller, run.source, conversation), {
      request: { kind: 'run', source: run.source, function: run.function, arguments: run.arguments },
      timeoutMs,
      answerQuestion: (question) => host.answer(question),
    });
    host.close();
    const requests = host.requests.length > 0 ? { requests: host.requests } : {};
    if (ending.kind !== 'answer') {
      return { ok: false, error: ending.kind, message: messages[ending.kind], stdout: '', ...requests };
    }
    return { ...this.outcome(ending.answer, Math.round(ending.durationMs)), ...requests };
  }

  /** @throws Problem 422 `invalid_fields`, `source_changed`, `callback_not_allowed` */
  private check(run: PythonRunRequest): void {
    const { PYTHON_SOURCE_BYTES, PYTHON_ARGUMENT_BYTES } = this.settings;
    if (Buffer.byteLength(run.source) > PYTHON_SOURCE_BYTES) throw invalid('source', PYTHON_SOURCE_BYTES);
    if (Buffer.byteLength(JSON.stringify(run.arguments)) > PYTHON_ARGUMENT_BYTES) {
      throw invalid('arguments', PYTHON_ARGUMENT_BYTES);
    }
    for (const fields of Object.values(run.credentials ?? {})) {
      if (!isObject(fields) || Object.values(fields).some((value) => typeof value !== 'string')) {
        throw new Problem(422, 'invalid_fields', 'Each credential must be an object of fields whose values are text.');
      }
    }
    if (sha256(run.source) !== run.source_sha256) {
      throw new Problem(422, 'source_changed', 'source does not match source_sha256.');
    }
    if (run.callback_url !== undefined) this.engine.check(run.callback_url);
  }

  /** The child's answer in the agreed shape: it may have sent anything. */
  private outcome(answer: unknown, durationMs: number): PythonRunAnswer {
    const { ok, result, stdout, truncated, error, message, line } = isObject(answer) ? answer : {};
    const output = textOf(stdout, this.settings.PYTHON_STDOUT_CHARS);
    if (ok === true) {
      const bytes = Buffer.byteLength(JSON.stringify(result ?? null));
      if (bytes <= this.settings.PYTHON_RESULT_BYTES) {
        return { ok, result: result ?? null, stdout: output, truncated: truncated === true, duration_ms: durationMs };
      }
      return { ok: false, error: 'invalid_result', message: `The result has ${bytes} bytes as JSON.`, stdout: output };
    }
    const kind = tellable.find((each) => each === error);
    if (!kind) return { ok: false, error: 'crashed', message: messages.crashed, stdout: output };
    const at = Number.isInteger(line) && Number(line) > 0 ? { line: Number(line) } : {};
    return { ok: false, error: kind, message: textOf(message, 2_000), stdout: output, ...at };
  }
}

function invalid(field: string, bytes: number): Problem {
  const message = `at most ${bytes} bytes`;
  return new Problem(422, 'invalid_fields', `${field} is too large: ${message}.`, [{ field, message }]);
}
