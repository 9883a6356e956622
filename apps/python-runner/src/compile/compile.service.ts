import type { ProjectScope, PythonCompileAnswer, PythonSourceError } from '#libs/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { isObject, textOf } from '../pool/untrusted.js';
import { SandboxPool } from '../pool/sandbox-pool.js';
import type { Ending } from '../pool/sandbox.js';
import { tenantOf } from '../pool/tenant.js';
import { type RunnerSettings, SETTINGS } from '../settings.js';

const reasons: Record<Exclude<Ending['kind'], 'answer'>, string> = {
  timeout: 'Loading the source took too long: move work into the function.',
  memory: 'Loading the source took too much memory.',
  crashed: 'Loading the source crashed the interpreter.',
};

@Injectable()
export class CompileService {
  constructor(
    @Inject(SETTINGS) private readonly settings: RunnerSettings,
    private readonly pool: SandboxPool,
  ) {}

  /** @throws Problem 503 as `SandboxPool.call` */
  async compile(caller: ProjectScope, source: string): Promise<PythonCompileAnswer> {
    const bytes = Buffer.byteLength(source);
    const limit = this.settings.PYTHON_SOURCE_BYTES;
    if (bytes > limit)
      return refused('source_too_large', `The source has ${bytes} bytes; at most ${limit} are allowed.`);
    const ending = await this.pool.call(tenantOf(caller, source, ''), {
      request: { kind: 'compile', source },
      timeoutMs: this.settings.PYTHON_COMPILE_MS,
      answerQuestion: () => Promise.resolve({ refused: 'A source cannot call the platform while it is being saved.' }),
    });
    if (ending.kind !== 'answer') return refused('load_failed', reasons[ending.kind]);
    return compiled(ending.answer) ?? refused('load_failed', reasons.crashed);
  }
}

const refused = (code: string, message: string): PythonCompileAnswer => ({
  ok: false,
  errors: [{ line: 1, column: 1, message, code }],
});

/**
 * The child's answer in the agreed shape, or null. It is unchecked, because the tool's own statements ran beside it.
 */
function compiled(answer: unknown): PythonCompileAnswer | null {
  if (!isObject(answer)) return null;
  const { ok, name, description, input_schema: schema, uses, errors } = answer;
  if (ok === false && Array.isArray(errors)) return { ok: false, errors: errors.slice(0, 50).map(sourceError) };
  if (ok !== true || typeof name !== 'string' || typeof description !== 'string') return null;
  if (!/^[A-Za-z]\w{0,63}$/.test(name) || !isObject(schema) || !isObject(uses)) return null;
  const credentials = Array.isArray(uses['credentials']) ? uses['credentials'] : [];
  return {
    ok: true,
    name,
    description,
    input_schema: schema,
    uses: { http: uses['http'] === true, credentials: credentials.filter((each) => typeof each === 'string') },
  };
}

function sourceError(error: unknown): PythonSourceError {
  const { line, column, message, code } = isObject(error) ? error : {};
  return {
    line: typeof line === 'number' ? line : 1,
    column: typeof column === 'number' ? column : 1,
    message: textOf(message, 1_000),
    code: textOf(code, 64),
  };
}
