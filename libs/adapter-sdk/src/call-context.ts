import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { headerValue } from './header-lookup.js';

/** The fields of the App's linked credential record, by each declared `maps_to` (contract 2.4). */
export type Credentials = Record<string, unknown>;

/**
 * The agent's identity at the provider, as `/verify` returned it. A stateless adapter recognises its messages by it.
 */
export interface Self {
  id?: string;
  name?: string;
  username?: string;
  email?: string;
  bot_id?: string;
  account?: string;
  [field: string]: unknown;
}

/** Who is calling and for whom (contract 2.9). Never holds a credential. */
export interface CallContext {
  organizationId: string | undefined;
  projectId: string | undefined;
  requestId: string;
  traceparent: string | undefined;
  log: FastifyBaseLogger;
}

export function readContext(request: FastifyRequest): CallContext {
  return {
    organizationId: headerValue(request.headers, 'x-organization-id'),
    projectId: headerValue(request.headers, 'x-project-id'),
    requestId: request.id,
    traceparent: headerValue(request.headers, 'traceparent'),
    log: request.log,
  };
}
