import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { Text, Whole } from './field.js';

/** Query of every list: `?limit=&cursor=`. */
export class PageQuery {
  @Type(() => Number) @Whole(1, 200, { optional: true }) limit: number = 50;
  @Text(200, { optional: true, description: 'next_cursor of the page before' }) cursor?: string;
}

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

/** Cuts a list that was read with `limit + 1` rows to a page. */
export function pageOf<T>(rows: T[], limit: number, cursorOf: (row: T) => string): Page<T> {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return { data, next_cursor: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}
