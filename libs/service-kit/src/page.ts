import { type Order, orders } from '#libs/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { hash } from 'node:crypto';
import { OneOf, Text, Whole } from './field.js';
import { Problem } from './problem.js';

const maxCursor = 4_096;
const checkChars = 6;

/** Query of every list: `?limit=&cursor=`. */
export class PageQuery {
  @Type(() => Number) @Whole(1, 200, { optional: true }) limit: number = 50;
  /** As the `cursorOf` of `pageOf` returned it. */
  @Transform(({ value }: { value: unknown }) => (value === undefined ? undefined : readCursor(value)))
  @Text(maxCursor, { optional: true, description: 'next_cursor of the previous page, unchanged' })
  cursor?: string;
}

/** Query of a list that can be read in either order: `?order=asc`. */
export class OrderedQuery extends PageQuery {
  @OneOf(orders, { optional: true, description: 'By time; desc (default): the newest first' }) order: Order = 'desc';
}

/** Query of a list that can be searched by name: `?search=`. */
export class SearchQuery extends PageQuery {
  @Text(200, { optional: true, minLength: 1, description: 'Part of the name, ignoring case' })
  search?: string;
}

/** A `LIKE` pattern that matches what begins like this, whatever characters it contains. */
export const beginningWith = (part: string): string => `${part.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

/** An `ILIKE` pattern that matches this part anywhere. */
export const containing = (part: string): string => `%${beginningWith(part)}`;

export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/** The shape of a page of views, for a class to extend: `class RunPage extends PageOf(RunView) {}`. */
export function PageOf<T extends object>(View: new () => T): new () => Page<T> {
  class Views implements Page<T> {
    @ApiProperty({ type: [View] }) data: T[];
    @ApiProperty({ type: String, nullable: true, description: 'For `?cursor=`; null: this is the last page' })
    next_cursor: string | null;
  }
  return Views;
}

/** Cuts a list that was read with `limit + 1` rows to one page. */
export function pageOf<T>(rows: T[], limit: number, cursorOf: (row: T) => string): Page<T> {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return { data, next_cursor: rows.length > limit && last !== undefined ? writeCursor(cursorOf(last)) : null };
}

/** Where a page ends, for `next_cursor`. It contains a checksum, so that any other text is not taken for a cursor. */
export function writeCursor(value: string): string {
  return Buffer.from(`${hash('sha256', value).slice(0, checkChars)}${value}`).toString('base64url');
}

/** @throws Problem 400 `invalid_cursor`: otherwise page one would pass for the requested page */
export function readCursor(cursor: unknown): string {
  if (typeof cursor === 'string' && cursor.length <= maxCursor) {
    const value = Buffer.from(cursor, 'base64url').toString('utf8').slice(checkChars);
    if (value !== '' && !value.includes('\0') && writeCursor(value) === cursor) return value;
  }
  throw invalidCursor();
}

export function invalidCursor(): Problem {
  const detail = 'cursor is not a next_cursor of this list: leave it out to begin with the first page.';
  return new Problem(400, 'invalid_cursor', detail);
}
