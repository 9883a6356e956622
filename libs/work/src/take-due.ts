/** Rows that something is done with time and again, by whichever process takes them. */
export interface DueRows {
  /** Schema-qualified, from code, never from input. */
  table: string;
  key: string;
  /** The column that says when a row is due. */
  dueAt: string;
  /** SQL: how long a row that was taken is left alone. */
  pause: string;
  /** SQL: what else is set when a row is taken, before the next time. */
  also?: string;
  /** SQL: which rows count. */
  where?: string;
  /** SQL: from which time on they count; else now. */
  by?: string;
}

/**
 * Takes rows that are due, those that waited longest first, for `UPDATE … RETURNING`: no two processes take the same one.
 * What is done with it may be done twice, since no lease is kept: a row is due again after the pause, whatever became of
 * it. Work that must not be done twice at a time is `Work`.
 * @param limit SQL: at most so many
 */
export function takeDueSql(
  { table, key, dueAt, pause, also, where = 'true', by = 'now()' }: DueRows,
  limit: string,
): string {
  // An array is made once; the planner may run a subquery of IN for each row.
  return `UPDATE ${table} SET ${also ? `${also}, ` : ''}${dueAt} = now() + ${pause}
    WHERE ${key} = ANY(ARRAY(SELECT ${key} FROM ${table} WHERE ${dueAt} <= ${by} AND (${where})
                              ORDER BY ${dueAt} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`;
}

/** SQL of a pause of five seconds, which doubles with each try up to a limit. @param tries the column that counts them */
export function doublingPauseSql(tries: string, maxSeconds: number): string {
  // The power is bounded by itself: a row may be tried for weeks.
  return `make_interval(secs => least(${maxSeconds}, 5 * 2 ^ least(${tries}, 10)))`;
}
