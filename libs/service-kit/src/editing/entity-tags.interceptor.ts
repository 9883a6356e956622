import type { Database } from '#libs/database';
import type { CallHandler, ExecutionContext, INestApplication, NestInterceptor, Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { createHash } from 'node:crypto';
import { from, lastValueFrom, map, type Observable } from 'rxjs';
import type { AuthenticatedRequest } from '../principal.js';
import { Problem } from '../problem.js';
import { derivedKey, editedKey, type ReadEdited, shownKey } from './editable.js';

interface Edited {
  read: ReadEdited<object>;
  parameter: string;
}

/** `ETag` and `If-Match` of the routes that use them: nobody overwrites a change that they have not seen. */
export class EntityTags implements NestInterceptor {
  private readonly reflector = new Reflector();
  private lastEdit: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly app: INestApplication,
    private readonly db: Database,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<object>): Observable<object> {
    const handler = context.getHandler();
    const edited = this.reflector.get<Edited | undefined>(editedKey, handler);
    if (!edited && !this.reflector.get<boolean | undefined>(shownKey, handler)) return next.handle();
    const without = this.reflector.get<string[] | undefined>(derivedKey, handler) ?? [];
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const ifMatch = request.headers['if-match'];
    const answer =
      edited && ifMatch !== undefined
        ? from(
            this.editIfUnchanged(context.getClass(), { ...edited, without }, request, ifMatch, () =>
              lastValueFrom(next.handle()),
            ),
          )
        : next.handle();
    return answer.pipe(
      map((shown) => {
        void reply.header('etag', entityTagOf(shown, without));
        return shown;
      }),
    );
  }

  /** One at a time per resource, in all replicas: of two edits of the same state, the second finds it changed. */
  private async editIfUnchanged(
    controller: Type<object>,
    edited: Edited & { without: string[] },
    request: AuthenticatedRequest,
    ifMatch: string,
    edit: () => Promise<object>,
  ): Promise<object> {
    const { read, parameter } = edited;
    const { principal } = request;
    const id = (request.params as Record<string, string>)[parameter] ?? '';
    if (!principal) throw new Error('Edits is used on a route without authentication');
    const resource = `edit ${principal.projectId} ${request.routeOptions.url} ${id}`;
    return this.inTurn(() =>
      this.db.transaction(async (tx) => {
        await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [resource]);
        const current = await read(this.app.get(controller, { strict: false }), principal, id);
        if (matchesEntityTag(ifMatch, entityTagOf(current, edited.without))) return edit();
        const detail = 'It was changed since you read it: read it again, and send the change with the new ETag.';
        throw new Problem(412, 'changed_since', detail);
      }),
    );
  }

  /**
   * One at a time in this process: each holds a connection while its handler needs others, and the pool would run dry.
   */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.lastEdit.then(work);
    this.lastEdit = turn.catch(() => undefined);
    return turn;
  }
}

/**
 * A strong entity tag (RFC 9110, section 8.8.3) of an answer, independent of the order of its fields.
 * @param without fields of the answer to leave out
 */
function entityTagOf(shown: object, without: string[] = []): string {
  const kept = Object.fromEntries(Object.entries(shown).filter(([field]) => !without.includes(field)));
  return `"${createHash('sha256').update(canonical(kept)).digest('base64url').slice(0, 27)}"`;
}

/** Whether an `If-Match` header allows a change of what has this tag (RFC 9110, section 13.1.1): weak tags do not. */
function matchesEntityTag(ifMatch: string, tag: string): boolean {
  if (ifMatch.trim() === '*') return true;
  const tags: string[] = ifMatch.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.includes(tag);
}

function canonical(value: unknown): string {
  // Through JSON first: what is compared is what is sent, with dates as text.
  const sent: unknown = JSON.parse(JSON.stringify(value ?? null));
  return JSON.stringify(sent, (_key, entry: unknown) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : entry,
  );
}
