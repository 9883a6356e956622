/**
 * SQLSTATE classes (PostgreSQL, "Error Codes") of statements that are refused for their data: cardinality, data,
 * constraint, program limit. Repeating the statement fails again; other rows do not.
 */
const ofTheData = /^(21|22|23|54)/;

/**
 * @returns whether Postgres, or the encoding for it, refuses the data, so that one row may have failed the others of
 * its statement; false where any row would have failed: no connection, a lock, a timeout
 */
export function isRefusedRow(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return !('code' in error);
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && code.length === 5 && ofTheData.test(code);
}

/** SQLSTATE: a connection exception, a server that shuts down or starts, no connection left, a primary that is none. */
const ofTheServer = /^(08|57P0|53300|25006)/;
/** What pg, its pool and TypeORM say of a connection that has ended, or was not to be had. */
const ofConnections =
  /Connection terminated|is not queryable|runner already released|timeout exceeded when trying to connect/;
const broken = new WeakSet<object>();

/** Notes an error of a connection to Postgres: other connections of a process fail with the same codes. */
export function noteBroken(error: object): void {
  broken.add(error);
}

/** @returns whether Postgres could not be reached, or refused any statement: the same one may succeed once it is back */
export function isPostgresAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const driverError = 'driverError' in error && error.driverError;
  if (broken.has(error) || (driverError instanceof Error && broken.has(driverError))) return true;
  return ofTheServer.test('code' in error ? String(error.code) : '') || ofConnections.test(error.message);
}
