/**
 * SQLSTATE classes (PostgreSQL, "Error Codes") by which a statement is refused for what stands in it: cardinality, data,
 * constraint, program limit. Asked again it is refused again, and others are not.
 */
const ofTheData = /^(21|22|23|54)/;

/**
 * @returns whether Postgres, or the encoding for it, refuses what was to be written, so that one row may have failed the
 * rows beside it; false where any row would have failed: no connection, a lock, a timeout
 */
export function isRefusedRow(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return !('code' in error);
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && code.length === 5 && ofTheData.test(code);
}
