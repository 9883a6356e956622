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
