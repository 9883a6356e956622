import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { Problem } from './problem.js';

const maxDepth = 100;

/**
 * Refuses bodies nested so deeply that code that walks them would overflow the stack, or take long. It comes before
 * everything else that looks into a body. A body that is read as bytes has no levels.
 */
export class BoundedDepth implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() === 'http') {
      const { body } = context.switchToHttp().getRequest<FastifyRequest>();
      if (!ArrayBuffer.isView(body) && !isShallow(body, maxDepth)) {
        throw new Problem(422, 'too_deep', `The body is nested over ${maxDepth} levels deep.`);
      }
    }
    return next.handle();
  }
}

/**
 * Whether a JSON value has at most `levels` levels: an object or a list is one, and each inside it one more. A deeper
 * value would overflow the stack of code that walks it.
 */
export function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((entry) => isShallow(entry, levels - 1));
}
