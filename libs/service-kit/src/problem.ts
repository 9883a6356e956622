/** One field that is wrong in a request. */
export interface FieldError {
  field: string;
  message: string;
}

/** The limit that a 429 is about, as its body shows it. */
export interface ReachedLimit {
  /** The setting that holds it, or the field of a project's own limits. */
  name: string;
  /** Whose limit it is. */
  of: 'address' | 'endpoint' | 'token' | 'key_prefix' | 'project' | 'replica';
  value: number;
  /** Within how long; absent for what is limited at one time. */
  window_seconds?: number;
  /** How it is raised. */
  raise: string;
}

/** An RFC 9457 answer: thrown anywhere below a controller, mapped to `application/problem+json` once at the edge. */
export class Problem extends Error {
  override readonly name = 'Problem';
  constructor(
    readonly status: number,
    /** Stable, for programs. */
    readonly code: string,
    /** What is wrong and what to do, for people. */
    readonly detail: string,
    readonly errors: FieldError[] = [],
    readonly headers: Record<string, string> = {},
    /** Of a 429. */
    readonly limit?: ReachedLimit,
  ) {
    super(`${code}: ${detail}`);
  }
}

export function notFound(what: string, id: string | number): Problem {
  return new Problem(404, `${what}_not_found`, `There is no ${what} ${id} in this project.`);
}

const titles: Record<number, string> = {
  400: 'Bad request',
  401: 'Not authenticated',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Too late',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition failed',
  413: 'Too large',
  415: 'Unsupported media type',
  417: 'Expectation failed',
  422: 'Not processable',
  429: 'Too many requests',
  431: 'Headers too large',
  500: 'Internal error',
  502: 'Bad gateway',
  503: 'Not available',
};

/** The body of a problem answer. @param requestId absent where a request was not read that far */
export function problemBody(problem: Problem, requestId?: string): Record<string, unknown> {
  return {
    type: `urn:gatehouse:problem:${problem.code}`,
    title: titles[problem.status] ?? 'Error',
    status: problem.status,
    detail: problem.detail,
    code: problem.code,
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(problem.errors.length > 0 ? { errors: problem.errors } : {}),
    ...(problem.limit ? { limit: problem.limit } : {}),
  };
}
