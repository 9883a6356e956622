import type { FastifyReply } from 'fastify';
import { ContractViolation } from './contract-violation.js';
import { isJsonObject } from './json-value.js';

/** Sends what `fetchFile` returned: raw bytes with their type, or the base64 form or a failure as JSON. */
export function sendFile(reply: FastifyReply, answer: unknown): FastifyReply {
  if (!isJsonObject(answer)) throw new ContractViolation('sources/fetch-file: the answer must be an object');
  if (Buffer.isBuffer(answer.bytes)) {
    // What says that these are the bytes of a file, also where they are JSON themselves.
    reply.header('content-disposition', 'attachment');
    if (typeof answer.fingerprint === 'string') reply.header('x-fingerprint', encodeURIComponent(answer.fingerprint));
    return reply.type(text(answer.content_type) ?? 'application/octet-stream').send(answer.bytes);
  }
  if (typeof answer.content_base64 !== 'string' && typeof answer.error !== 'string') {
    throw new ContractViolation('sources/fetch-file: bytes, content_base64 or error is required');
  }
  return reply.send(answer);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
