import { unsafeParts } from '#libs/adapter-sdk';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { Problem } from './problem.js';

/**
 * Refuses names and addresses that must not be kept, in the body of every public route. Requests between services are
 * not checked: they carry what providers and models wrote, which is kept as it came.
 */
export class SafeContent implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() === 'http') {
      const { routeOptions, body } = context.switchToHttp().getRequest<FastifyRequest>();
      if (!routeOptions.url?.startsWith('/internal/')) refuseUnsafe(body);
    }
    return next.handle();
  }
}

/** For what is saved without being a body itself, such as the contents of a file. @throws Problem 422 `unsafe_content` */
export function refuseUnsafe(value: unknown): void {
  const problems = unsafeParts(value);
  if (problems.length === 0) return;
  const named = problems.map(({ field, message }) => `${field} ${message}.`).join(' ');
  throw new Problem(422, 'unsafe_content', `It cannot be saved: ${named}`, problems);
}
