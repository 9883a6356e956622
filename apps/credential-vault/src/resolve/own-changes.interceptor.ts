import { ChangeListener } from '#libs/database';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { mergeMap, type Observable } from 'rxjs';
import { ResolveController } from './resolve.controller.js';

/**
 * Delays the answer until this process has been notified of the request's own change. So whoever was answered that a secret
 * is replaced does not get the old one. Resolving changes nothing and does not wait.
 */
@Injectable()
export class OwnChanges implements NestInterceptor {
  constructor(private readonly changes: ChangeListener) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getClass() === ResolveController) return next.handle();
    return next.handle().pipe(
      mergeMap(async (answer: unknown) => {
        await this.changes.caughtUp();
        return answer;
      }),
    );
  }
}
