import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ContractViolation } from './contract-violation.js';
import { InvalidRequest } from './invalid-request.js';
import { isJsonObject } from './json-value.js';
import { deliverFailure } from './delivery.js';
import { ProviderUnavailable } from './provider-unavailable.js';
import { redactSecrets } from './secret-redaction.js';

/** The one place where an error becomes an answer: JSON, without a stack or any of the request's values. */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof InvalidRequest) {
    return reply.code(400).send({ error: 'invalid_request', message: error.message });
  }
  if (error instanceof ProviderUnavailable) return answerUnavailable(error, request, reply);
  if (error instanceof ContractViolation) {
    request.log.error({ event: 'adapter.contract_violation', route: request.routeOptions.url, reason: error.message });
    return reply.code(500).send({ error: 'contract_violation', message: error.message });
  }
  if (error.statusCode === 413) return reply.code(413).send({ error: 'too_large' });
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500 && isFrameworkError(error)) {
    return reply.code(error.statusCode).send({ error: 'invalid_request', message: error.message });
  }
  const credentials = isJsonObject(request.body) ? request.body.credentials : undefined;
  request.log.error({
    event: 'adapter.internal_error',
    route: request.routeOptions.url,
    error: redactSecrets(error instanceof Error ? (error.stack ?? error.message) : String(error), credentials),
  });
  return reply.code(500).send({ error: 'internal_error' });
}

function answerUnavailable(error: ProviderUnavailable, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { message, retryAfter } = error;
  const route = request.routeOptions.url ?? '';
  request.log.warn({ event: 'adapter.provider_unavailable', route, reason: message });
  if (route.endsWith('/verify')) return reply.send({ ok: false, error: 'provider_unavailable', message });
  if (route.endsWith('/deliver') || route.endsWith('/indicate') || route.endsWith('/poll')) {
    const detail = retryAfter === undefined ? {} : { retry_after: retryAfter };
    return reply.send(deliverFailure('provider_unavailable', message, detail));
  }
  if (retryAfter !== undefined) reply.header('retry-after', String(Math.ceil(retryAfter)));
  return reply.code(503).send({ error: 'provider_unavailable', message });
}

function isFrameworkError(error: FastifyError): boolean {
  return typeof error.code === 'string' && error.code.startsWith('FST_');
}
