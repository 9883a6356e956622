import { type Egress, EgressError, type EgressResponse } from '#libs/egress';
import { isUtf8 } from 'node:buffer';
import { failure, type Tool, type ToolFailure } from './tool.js';

export interface HttpRequestLimits {
  maxResponseBytes: number;
  timeoutMs: number;
}

export interface HttpRequestResult {
  status: number;
  headers: Record<string, string>;
  body: string;
  truncated: boolean;
}

interface Arguments {
  method: string;
  url: string;
  headers?: Record<string, string>;
  query?: Record<string, string | number | boolean>;
  body?: unknown;
  timeout_ms?: number;
}

const parameters = {
  type: 'object',
  additionalProperties: false,
  required: ['method', 'url'],
  properties: {
    method: { type: 'string', enum: ['GET', 'POST', 'PUT', 'DELETE'] },
    url: { type: 'string', maxLength: 8192, description: 'An absolute http or https URL' },
    headers: { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 50 },
    query: {
      type: 'object',
      additionalProperties: { type: ['string', 'number', 'boolean'] },
      description: 'Added to the query of the URL',
    },
    body: { description: 'Text as it is; any other JSON value is sent as application/json' },
    timeout_ms: { type: 'integer', minimum: 1, maximum: 60000 },
  },
};

/** The tool `http_request` (spec 4.5), behind the egress guard. Everything but GET counts as writing. */
export function httpRequestTool(egress: Egress, limits: HttpRequestLimits): Tool {
  return {
    name: 'http_request',
    description: 'Makes one HTTP request and returns {status, headers, body, truncated}.',
    parameters,
    grade: (args) => (args['method'] === 'GET' ? 'read' : 'write'),
    idempotent: (args) => args['method'] === 'GET',
    run: (args, signal) => run(egress, limits, args as Partial<Arguments>, signal),
  };
}

async function run(
  egress: Egress,
  limits: HttpRequestLimits,
  args: Partial<Arguments>,
  signal: AbortSignal,
): Promise<HttpRequestResult | ToolFailure> {
  if (args.url === undefined || !URL.canParse(args.url))
    return failure('invalid_url', 'The URL is not an absolute one.');
  const url = new URL(args.url);
  for (const [name, value] of Object.entries(args.query ?? {})) url.searchParams.append(name, String(value));
  const isText = typeof args.body === 'string';
  const headers: Record<string, string> =
    args.body === undefined || isText ? {} : { 'content-type': 'application/json' };
  try {
    const response = await egress.fetch(url, {
      method: args.method ?? 'GET',
      headers: { ...headers, ...lowerCased(args.headers ?? {}) },
      ...(args.body === undefined ? {} : { body: isText ? (args.body as string) : JSON.stringify(args.body) }),
      timeoutMs: Math.min(args.timeout_ms ?? limits.timeoutMs, 60_000),
      maxResponseBytes: limits.maxResponseBytes,
      signal,
    });
    return resultOf(response);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!(error instanceof EgressError)) throw error;
    const unknown = error.sent && args.method !== 'GET';
    return unknown
      ? failure(
          'outcome_unknown',
          `The request was sent and gave no answer (${error.code}): it may have had its effect.`,
        )
      : failure(error.code, 'The request gave no answer.');
  }
}

function resultOf(response: EgressResponse): HttpRequestResult {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    // A session is the other side's secret: it is of no use to a model and does not belong in a stored step.
    if (name !== 'set-cookie') headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return { status: response.status, headers, body: textOf(response), truncated: response.truncated };
}

function textOf({ body, truncated }: EgressResponse): string {
  // A cut may fall inside a character: up to three bytes of it are left off.
  const cuts = truncated ? [0, 1, 2, 3] : [0];
  for (const cut of cuts) {
    const part = body.subarray(0, body.length - cut);
    if (isUtf8(part)) return part.toString('utf8');
  }
  return `[${body.length} bytes that are not text]`;
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
