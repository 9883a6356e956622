/** One field that is wrong in a request. */
export interface FieldError {
  field: string;
  message: string;
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
  };
}
