import { behindHeader } from '#libs/contracts';
import { type Page, pageOf, PageOf } from '#libs/service-kit';
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';
import type { ListRead } from './list-reads.js';

/** What an answer says of its age. */
export interface Behind {
  behind_ms: number | null;
}

/** Of that field: `@ApiProperty(behindMs) behind_ms: number | null`. */
export const behindMs = {
  type: 'integer',
  nullable: true,
  description:
    'How old this may be, in ms: it was read from a replica, and has everything that was stored before. Null: it is current',
} as const;

/** The shape of a page that may lag, as `PageOf`. */
export function LaggingPageOf<T extends object>(View: new () => T): new () => Page<T> & Behind {
  class Views extends PageOf(View) implements Behind {
    @ApiProperty(behindMs) behind_ms: number | null;
  }
  return Views;
}

/** The value of a read, with its age as answers show it. */
export function withBehind<T extends object>({ value, behindMs: age }: ListRead<T>): T & Behind {
  return { ...value, behind_ms: age === null ? null : Math.ceil(age) };
}

/** Cuts a list that was read with `limit + 1` rows to one page that may lag. */
export function laggingPage<T>(
  { value, behindMs: age }: ListRead<T[]>,
  limit: number,
  cursorOf: (row: T) => string,
): Page<T> & Behind {
  return withBehind({ value: pageOf(value, limit, cursorOf), behindMs: age });
}

class BehindHeader implements NestInterceptor<Behind, Behind> {
  intercept(context: ExecutionContext, next: CallHandler<Behind>): Observable<Behind> {
    return next.handle().pipe(
      map((answer) => {
        const reply = context.switchToHttp().getResponse<FastifyReply>();
        if (answer.behind_ms !== null) void reply.header(behindHeader, String(answer.behind_ms));
        return answer;
      }),
    );
  }
}

/** For a GET whose answer has `behind_ms`: a header says it too. */
export const SaysBehind = (): MethodDecorator => applyDecorators(UseInterceptors(new BehindHeader()));
