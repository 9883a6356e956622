import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiHeader, ApiPreconditionFailedResponse } from '@nestjs/swagger';
import type { Principal } from '../principal.js';

export const shownKey = 'gatehouse:entity-tag-shown';
export const editedKey = 'gatehouse:entity-tag-edited';
export const derivedKey = 'gatehouse:entity-tag-without';

/** Reads what a route changes, as its GET shows it. */
export type ReadEdited<C> = (controller: C, caller: Principal, id: string) => Promise<object>;

/** For a GET: the answer carries the `ETag` of what it shows. */
export const ShowsEntityTag = (): MethodDecorator => SetMetadata(shownKey, true);

/** For a GET, PATCH or PUT: excludes from the `ETag` fields that nobody edits and that change on their own. */
export const TagsWithout = (...fields: string[]): MethodDecorator => SetMetadata(derivedKey, fields);

/**
 * For a PATCH or PUT: the answer carries an `ETag`, and a request with `If-Match` changes only what is unchanged since
 * its caller read it.
 * @param parameter of the path, which names what is changed
 */
export const Edits = <C>(read: ReadEdited<C>, parameter = 'id'): MethodDecorator =>
  applyDecorators(
    SetMetadata(editedKey, { read, parameter }),
    ApiHeader({
      name: 'If-Match',
      required: false,
      description: 'The ETag that was read: 412 when it has changed since',
    }),
    ApiPreconditionFailedResponse({ description: '`changed_since`: read it again' }),
  );
