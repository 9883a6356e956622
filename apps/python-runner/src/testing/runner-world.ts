import type { PythonCompileAnswer, PythonRunAnswer, PythonRunRequest } from '#libs/contracts';
import { createService, type Principal, ServiceTokens } from '#libs/service-kit';
import { testServiceKey } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createHash } from 'node:crypto';
import { AppModule, bodyLimitOf, notReady } from '../app.module.js';
import type { RunnerSettings } from '../settings.js';

export interface RunnerWorld {
  app: NestFastifyApplication;
  compile(source: string): Promise<PythonCompileAnswer>;
  /** Runs a source whose tool is `tool`. */
  run(source: string, more?: Partial<PythonRunRequest>, projectId?: string): Promise<PythonRunAnswer>;
  post(path: string, body: object, as?: Partial<Principal>): Promise<{ status: number; body: Record<string, unknown> }>;
  close(): Promise<void>;
}

export const organizationId = 'org_a';

/** The runner's own service with real children, with limits as small as tests allow. */
export async function startRunner(settings: Partial<RunnerSettings> = {}): Promise<RunnerWorld> {
  const all = { ...smallSettings, ...settings };
  const { d: _private, ...publicKey } = testServiceKey;
  const app = await createService({
    name: 'python-runner',
    module: AppModule.with(all),
    settings: {
      PORT: 8080,
      OPERATIONS_PORT: 0,
      HOST: '127.0.0.1',
      REDIS_URL: null,
      QUEUE_CONCURRENCY: 1,
      GATEHOUSE_SERVICE_KEY: publicKey,
      LOG_LEVEL: 'silent',
    },
    bodyLimit: bodyLimitOf(all),
    notReady,
  });
  await app.init();
  const post: RunnerWorld['post'] = async (url, payload, as = {}) => {
    const principal: Principal = {
      subject: url.endsWith('compile') ? 'service:mcp-registry' : 'service:engine',
      organizationId,
      projectId: 'prj_a',
      scopes: ['service'],
      ...as,
    };
    const token = await new ServiceTokens(testServiceKey, 'engine').mint('python-runner', principal);
    const answer = await app.inject({ method: 'POST', url, payload, headers: { authorization: `Bearer ${token}` } });
    return { status: answer.statusCode, body: answer.json() };
  };
  const expectOk = async <T>(url: string, body: object, as: Partial<Principal>): Promise<T> => {
    const answer = await post(url, body, as);
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body as T;
  };
  return {
    app,
    post,
    compile: (source) => expectOk('/internal/compile', { source }, { organizationId }),
    run: (source, more, projectId = 'prj_a') => {
      const request = runOf(source, more);
      return expectOk('/internal/run', request, { organizationId: request.organization_id, projectId });
    },
    close: () => app.close(),
  };
}

export function runOf(source: string, more: Partial<PythonRunRequest> = {}): PythonRunRequest {
  return {
    call_id: 'call_1',
    organization_id: organizationId,
    source,
    source_sha256: createHash('sha256').update(source).digest('hex'),
    function: 'tool',
    arguments: {},
    timeout_ms: 80_000,
    ...more,
  };
}

/** The source of a tool with these statements, which are not indented. */
export const toolOf = (body: string, parameters = ''): string =>
  `def tool(${parameters}):\n    """Does what the test says."""\n${body
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')}\n`;

export const smallSettings: RunnerSettings = {
  ENGINE_URL: 'http://127.0.0.1:9',
  PYTHON_CHILDREN: 1,
  PYTHON_CHILDREN_PER_ORGANIZATION: 1,
  PYTHON_CALLS_PER_CHILD: 1_000,
  PYTHON_WAITING_CALLS: 10,
  PYTHON_WAIT_MS: 85_000,
  PYTHON_START_MS: 80_000,
  PYTHON_IDLE_MS: 600_000,
  PYTHON_TIMEOUT_MS: 85_000,
  PYTHON_COMPILE_MS: 60_000,
  PYTHON_MEMORY_MB: 192,
  PYTHON_HEAP_MB: 128,
  PYTHON_RSS_MB: 640,
  PYTHON_KEEP_RSS_MB: 400,
  PYTHON_CPU_SECONDS: 600,
  PYTHON_SOURCE_BYTES: 65_536,
  PYTHON_ARGUMENT_BYTES: 1_048_576,
  PYTHON_RESULT_BYTES: 65_536,
  PYTHON_STDOUT_CHARS: 4_096,
  PYTHON_HOST_CALLS: 5,
  PYTHON_HTTP_BYTES: 65_536,
  PYTHON_EVENT_BYTES: 65_536,
};
