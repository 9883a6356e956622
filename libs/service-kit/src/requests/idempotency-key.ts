import { Problem } from '../problem.js';
import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader, ApiUnprocessableEntityResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

/** For a route that takes the header: its description. @param gives the result of using the same key again */
export const TakesIdempotencyKey = (gives: string, required = false): MethodDecorator =>
  applyDecorators(
    ApiHeader({ name: 'Idempotency-Key', required, description: gives }),
    ApiUnprocessableEntityResponse({ description: '`idempotency_key_reused`: it was sent with another request' }),
  );

/** The key that a caller sent, or null. @throws Problem 422 `invalid_idempotency_key` */
export const IdempotencyKey = createParamDecorator((_data: unknown, context: ExecutionContext): string | null => {
  const key = context.switchToHttp().getRequest<FastifyRequest>().headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new Problem(422, 'invalid_idempotency_key', 'An Idempotency-Key has 1 to 255 visible ASCII characters.');
});

export function idempotencyKeyReused(): Problem {
  const detail = 'This Idempotency-Key was used for another request: use a new one.';
  return new Problem(422, 'idempotency_key_reused', detail);
}
