import { ApiProperty } from '@nestjs/swagger';

/** Failed work for a resource, shown on the resource until the work succeeds. */
export class Failure {
  @ApiProperty({ format: 'date-time', description: 'When the first of the failures in a row happened' }) since: string;
  @ApiProperty() code: string;
  @ApiProperty({ description: 'What failed and why, in words' }) error: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Null: it is not tried again automatically',
  })
  next_try_at: string | null;
  @ApiProperty({ type: String, nullable: true }) what_to_do: string | null;
}

/** SQL for a time in the API's format. */
function apiTime(time: string): string {
  return `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/**
 * SQL for a `Failure` as jsonb; every argument is SQL.
 * @param before the failure that the resource has shown so far: a continuing failure keeps its start
 */
export function failureSql(
  before: string,
  { code, error, nextTryAt, whatToDo }: { code: string; error: string; nextTryAt: string; whatToDo: string },
): string {
  return `jsonb_build_object('since', coalesce(${before}->>'since', ${apiTime('now()')}), 'code', ${code}::text,
    'error', ${error}::text, 'next_try_at', ${apiTime(nextTryAt)}, 'what_to_do', ${whatToDo}::text)`;
}
