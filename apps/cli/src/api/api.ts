import { CliError, exits } from './cli-error.js';
import type { Installation } from './installation.js';

type Query = Record<string, string | undefined>;

/** The management API, called with a key. Its errors say what went wrong, where, and what to do. */
export interface Api {
  origin: string;
  get<T>(path: string, query?: Query): Promise<T>;
  post<T>(path: string, body?: object): Promise<T>;
  delete(path: string): Promise<void>;
  /** How far the portal's clock was ahead of this one at the last answer, to half a second; null before that. */
  clockAheadMs(): number | null;
}

interface Problem {
  code?: string;
  detail?: string;
  request_id?: string;
  errors?: { field: string; message: string }[];
  limit?: { raise: string };
}

const timeoutMs = 30_000;

/** @param url `--url` @throws CliError 2 when the address or the key is missing */
export function openApi(url: string | undefined, installation: Installation | null, env: NodeJS.ProcessEnv): Api {
  const address = url ?? env['GATEHOUSE_URL'] ?? installation?.base_url;
  const key = env['GATEHOUSE_API_KEY'] ?? installation?.api_key;
  if (!address || !URL.canParse(address)) {
    const text = address ? `${address} is not a URL.` : 'The address of Gatehouse is not known.';
    throw new CliError(
      exits.usage,
      text,
      'GATEHOUSE_URL, --url',
      'Set GATEHOUSE_URL, or run the command in the folder that has the .data of npm start.',
      'no_address',
    );
  }
  if (!key) {
    const toDo = 'Create a key in the console under Settings, and set GATEHOUSE_API_KEY to it.';
    throw new CliError(exits.usage, 'There is no API key.', 'GATEHOUSE_API_KEY', toDo, 'no_key');
  }
  return apiAt(address.replace(/\/$/, ''), key);
}

function apiAt(origin: string, key: string): Api {
  let aheadMs: number | null = null;
  const ask = async (method: string, path: string, body?: object): Promise<string> => {
    const where = `${method} ${origin}${path}`;
    const asked = Date.now();
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(`${origin}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: AbortSignal.timeout(timeoutMs),
      });
      text = await answer.text();
    } catch (error) {
      throw noAnswer(error, where);
    }
    // The header only has whole seconds.
    const date = Date.parse(answer.headers.get('date') ?? '') + 500;
    if (!Number.isNaN(date)) aheadMs = date - (asked + Date.now()) / 2;
    if (!answer.ok) throw refusal(answer.status, text, where);
    return text;
  };
  const read = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const text = await ask(method, path, body);
    try {
      return JSON.parse(text) as T;
    } catch {
      const toDo = 'Check that the address is that of the portal.';
      throw new CliError(
        exits.unavailable,
        'The answer is not JSON.',
        `${method} ${origin}${path}`,
        toDo,
        'not_gatehouse',
      );
    }
  };
  return {
    origin,
    get: (path, query = {}) => read('GET', `/api/v1/${path}${queryOf(query)}`),
    post: (path, body = {}) => read('POST', `/api/v1/${path}`, body),
    delete: async (path) => void (await ask('DELETE', `/api/v1/${path}`)),
    clockAheadMs: () => aheadMs,
  };
}

function queryOf(query: Query): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length > 0 ? `?${new URLSearchParams(given).toString()}` : '';
}

function noAnswer(error: unknown, where: string): CliError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const isLate = cause instanceof Error && cause.name === 'TimeoutError';
  const why = isLate ? `timed out after ${timeoutMs / 1000} s` : code || String(cause);
  const toDo = 'Check that Gatehouse runs and that the address is right: gatehouse doctor helps.';
  return new CliError(exits.unavailable, `No answer (${why}).`, where, toDo, isLate ? 'timed_out' : 'no_answer');
}

function refusal(status: number, text: string, where: string): CliError {
  const problem = problemIn(text);
  const fields = (problem.errors ?? []).map(({ field, message }) => ` ${field}: ${message}.`).join('');
  const exit = status >= 500 || status === 429 ? exits.unavailable : exits.refused;
  const request = problem.request_id ? `, request ${problem.request_id}` : '';
  const message = `${problem.detail ?? `The answer was HTTP ${status}.`}${fields}`;
  return new CliError(
    exit,
    message,
    `${where}: ${status}${request}`,
    toDoOf(status, problem),
    problem.code ?? `http_${status}`,
  );
}

function problemIn(text: string): Problem {
  try {
    return JSON.parse(text) as Problem;
  } catch {
    return {};
  }
}

function toDoOf(status: number, { code }: Problem): string {
  if (status === 401)
    return 'Check GATEHOUSE_API_KEY: the key was revoked, has expired or belongs to another installation.';
  if (code === 'scope_missing') return 'Use a key that has the scope: gatehouse apikey lists keys with their scopes.';
  if (status === 404) return 'Check the id, and that the key belongs to the same project.';
  if (status === 422 || status === 400) return 'Correct the named fields, and try again.';
  if (status === 429) return 'Wait, and try again.';
  if (status >= 500) return 'Try again: gatehouse doctor shows which service has a problem.';
  return 'Remove the cause, and try again.';
}
