import type { components } from './schema.js';

export type Problem = components['schemas']['Problem'];

/** A refusal of the API. `code` is for programs, `message` says what to do. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly requestId: string | null;
  readonly errors: NonNullable<Problem['errors']>;
  /** Of a 429. */
  readonly limit: Problem['limit'];

  constructor(problem: Partial<Problem> & Pick<Problem, 'status' | 'code' | 'detail'>) {
    super(problem.detail);
    this.status = problem.status;
    this.code = problem.code;
    this.title = problem.title ?? problem.detail;
    this.requestId = problem.request_id ?? null;
    this.errors = problem.errors ?? [];
    this.limit = problem.limit;
  }
}

/** @param error anything that was thrown */
export const isProblem = (error: unknown, code: string): error is ApiProblem =>
  error instanceof ApiProblem && error.code === code;

/** Whether the API refused, which another attempt does not change. */
export const isRefusal = (error: unknown): boolean => error instanceof ApiProblem && error.status < 500;

/** Whether saving was refused because somebody else saved in between. */
export const isConflict = (error: unknown): boolean => isProblem(error, 'changed_since');

/** Reads an unsuccessful answer, even one of a proxy in between. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const read: unknown = await response.json().catch(() => null);
  if (isProblemBody(read)) return new ApiProblem(read);
  return new ApiProblem({
    status: response.status,
    code: `http_${response.status}`,
    detail: response.statusText || `The answer was ${response.status}.`,
    request_id: response.headers.get('x-request-id') ?? undefined,
  });
}

function isProblemBody(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && 'detail' in body && 'status' in body;
}
