import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { type FieldError, Problem } from './problem.js';

const maxNamed = 10;

/**
 * Refuses texts that Postgres cannot store, anywhere in a request: U+0000, and half a surrogate pair, which no encoding
 * represents. Requests between services are not checked: such a text may come from a provider or a model there, and
 * whoever stores it makes it fit.
 */
export class ReadableRequests implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() === 'http') refuseUnreadable(context.switchToHttp().getRequest<FastifyRequest>());
    return next.handle();
  }
}

/** @throws Problem 422 `invalid_text`, which names the fields */
function refuseUnreadable({ routeOptions, params, query, body }: FastifyRequest): void {
  if (routeOptions.url?.startsWith('/internal/')) return;
  const errors = [params, query, body].flatMap(unreadableIn);
  if (errors.length === 0) return;
  const detail = 'A text contains a character that is not allowed: U+0000, or half of a surrogate pair.';
  throw new Problem(422, 'invalid_text', detail, errors.slice(0, maxNamed));
}

/**
 * The places of such texts in a JSON value, including field names. Without recursion, because it may be nested deeply.
 */
function unreadableIn(value: unknown): FieldError[] {
  const errors: FieldError[] = [];
  const open: { value: unknown; field: string }[] = [{ value, field: '' }];
  for (let next = open.pop(); next && errors.length < maxNamed; next = open.pop()) {
    const { value, field } = next;
    if (typeof value === 'string' && !isReadable(value)) errors.push({ field, message: unreadablePart(value) });
    if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) continue;
    for (const [name, entry] of Object.entries(value)) {
      const at = field === '' ? name : `${field}.${name}`;
      if (isReadable(name)) open.push({ value: entry, field: at });
      else errors.push({ field: shown(at), message: `its name ${unreadablePart(name)}` });
    }
  }
  return errors;
}

function isReadable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}

function unreadablePart(text: string): string {
  return text.includes('\u0000') ? 'contains U+0000' : 'contains half of a surrogate pair';
}

/** In a form that a problem may contain. */
function shown(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}
