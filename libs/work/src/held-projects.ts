/**
 * SQL: whether a project is not held. One that moves between installations is, on both sides, so that both never work
 * on it. As an array that is read once, and not as a join: the plan of a claim stays what it is.
 * @param project an expression of the statement
 */
export const notHeldSql = (project: string): string =>
  `${project} <> ALL (ARRAY(SELECT h.project_id FROM journal.project_hold h))`;

/** SQL: whether somebody works on a row of a table of work. @param running its own word for `running` */
export const isWorkedOnSql = (t: string, running = 'running'): string =>
  `(${t}.state = '${running}' AND ${t}.lease_until > now())`;
