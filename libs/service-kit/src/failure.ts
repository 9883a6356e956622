import { ApiProperty } from '@nestjs/swagger';

/** Work for a resource that failed, as the resource shows it until the work is done. */
export class Failure {
  @ApiProperty({ format: 'date-time', description: 'The first of the failures in a row' }) since: string;
  @ApiProperty() code: string;
  @ApiProperty({ description: 'What failed and why, in words' }) error: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null: not by itself' })
  next_try_at: string | null;
  @ApiProperty({ type: String, nullable: true }) what_to_do: string | null;
}

/** SQL of a time, as the API writes it. */
function apiTime(time: string): string {
  return `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/**
 * SQL of a `Failure` as jsonb; every argument is SQL.
 * @param before the failure that the resource shows so far: what goes on failing has failed since then
 */
export function failureSql(
  before: string,
  { code, error, nextTryAt, whatToDo }: { code: string; error: string; nextTryAt: string; whatToDo: string },
): string {
  return `jsonb_build_object('since', coalesce(${before}->>'since', ${apiTime('now()')}), 'code', ${code}::text,
    'error', ${error}::text, 'next_try_at', ${apiTime(nextTryAt)}, 'what_to_do', ${whatToDo}::text)`;
}
