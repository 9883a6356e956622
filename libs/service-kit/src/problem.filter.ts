import { isPostgresAway } from '#libs/database';
import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Logger,
  NotFoundException,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Observable, throwError } from 'rxjs';
import { sendRefusal } from './incoming/unread-body.js';
import { Problem, problemBody } from './problem.js';

/** Maps every error to problem+json on HTTP; passes a job's error to the job transport unchanged. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('http');

  catch(error: unknown, host: ArgumentsHost): Observable<never> | void {
    if (host.getType() !== 'http') return throwError(() => error);
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const problem = toProblem(error);
    if (problem.status >= 500)
      this.logger.error({ event: 'http.error', url: request.routeOptions.url, error: describe(error) });
    reply.status(problem.status).headers({ ...problem.headers, 'content-type': 'application/problem+json' });
    void sendRefusal(reply, JSON.stringify(problemBody(problem, request.id)));
  }
}

/** Converts what was thrown into a problem; an unknown error tells the caller only its request id. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof NotFoundException) return new Problem(404, 'not_found', 'There is nothing at this path.');
  const status = error instanceof HttpException ? error.getStatus() : statusOf(error);
  if (status === 415) return new Problem(415, codeOf(415), 'Send JSON, with Content-Type: application/json.');
  if (error instanceof HttpException) return new Problem(error.getStatus(), codeOf(error.getStatus()), error.message);
  if (status !== null && status < 500) return new Problem(status, codeOf(status), (error as Error).message);
  if (isUnstorable(error)) return new Problem(422, 'invalid_text', 'A text contains U+0000, which is not allowed.');
  const missing = whatIsMissing(error);
  if (missing) return new Problem(503, 'unavailable', `${missing}: try again.`, [], { 'retry-after': '2' });
  return new Problem(500, 'internal_error', 'Something went wrong here: the log has the error under this request_id.');
}

/** Postgres's error for a text that it cannot store, as text and in jsonb. */
function isUnstorable(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === '22021' || code === '22P05';
}

function statusOf(error: unknown): number | null {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : null;
  return typeof status === 'number' ? status : null;
}

function codeOf(status: number): string {
  const codes: Record<number, string> = {
    400: 'invalid_request',
    401: 'not_authenticated',
    403: 'not_allowed',
    404: 'not_found',
    413: 'body_too_large',
    415: 'unsupported_media_type',
  };
  return codes[status] ?? `http_${status}`;
}

/**
 * What a request needed and did not get, or null. Calls of other services have errors of their own, so that a broken
 * connection is one to Postgres, except where it names HTTP.
 */
function whatIsMissing(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const code = 'code' in error ? String(error.code) : '';
  const { message } = error;
  if (isPostgresAway(error) || /^(ECONN|ETIMEDOUT|EPIPE|ENOTFOUND)/.test(code)) return 'Postgres does not answer';
  // What Postgres aborts: a deadlock, a wait that was too long, a connection too many.
  const isBusy = /^(UND_ERR|57014|40001|40P01|55P03|53300)/.test(code) || message.includes('fetch failed');
  return isBusy ? 'Something that this request needs is not available' : null;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
