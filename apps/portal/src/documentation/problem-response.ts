const text = { type: 'string' };

/** Of a 429: which limit was reached. */
export const limitSchema = {
  type: 'object',
  description: 'Of a 429: the limit that was reached',
  properties: {
    name: { ...text, description: 'The setting, or the field of a project’s limits, that holds it' },
    of: {
      enum: ['address', 'endpoint', 'token', 'key_prefix', 'project', 'replica'],
      description: 'Whose limit it is',
    },
    value: { type: 'integer' },
    window_seconds: { type: 'number', description: 'Within how long; absent for what is limited at one time' },
    raise: { ...text, description: 'How it is raised' },
  },
  required: ['name', 'of', 'value', 'raise'],
};

/** Every error of the management API (RFC 9457). */
export const problemSchema = {
  type: 'object',
  properties: {
    type: text,
    title: text,
    status: { type: 'integer' },
    detail: text,
    code: text,
    request_id: text,
    errors: {
      type: 'array',
      description: 'The fields of the request that are wrong',
      items: { type: 'object', properties: { field: text, message: text }, required: ['field', 'message'] },
    },
    limit: limitSchema,
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
};

export const problemResponse = {
  description: 'A problem: `code` is for programs, `detail` says what to do',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

/** Adds the error response to every operation. */
export function withProblems(paths: Record<string, unknown>): Record<string, unknown> {
  return mapped(paths, (item) => mapped(item, withProblem));
}

function withProblem(operation: unknown): unknown {
  if (!isObject(operation) || !isObject(operation['responses'])) return operation;
  return {
    ...operation,
    responses: { ...operation['responses'], default: { $ref: '#/components/responses/Problem' } },
  };
}

function mapped(value: unknown, change: (entry: unknown) => unknown): Record<string, unknown> {
  const entries = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.map(([name, entry]) => [name, change(entry)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
