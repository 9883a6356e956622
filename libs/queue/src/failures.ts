/** The job can never succeed as it is: no retry, dead letter at once. `code` names the reason in the timeline. */
export class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure';
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Not now: run the job again after `delayMs`, without using up an attempt (a `Retry-After`, a pause, an open breaker). */
export class RunLater extends Error {
  override readonly name = 'RunLater';
  constructor(
    readonly delayMs: number,
    readonly code: string,
    /** For people, where the code does not say enough. */
    why?: string,
  ) {
    super(why ?? `run again in ${delayMs} ms: ${code}`);
  }
}

/** What becomes of a job whose handler threw. */
export type Verdict = { do: 'retry' } | { do: 'later'; delayMs: number } | { do: 'dead'; code: string };

/** The one place that decides between retry, later and dead letter. */
export function classify(error: unknown, attempt: number, attempts: number): Verdict {
  if (error instanceof RunLater) return { do: 'later', delayMs: error.delayMs };
  const permanent = permanentCode(error);
  if (permanent !== null) return { do: 'dead', code: permanent };
  if (attempt >= attempts) return { do: 'dead', code: errorCode(error) };
  return { do: 'retry' };
}

/** The code of a job whose data no attempt can process. */
export const unprocessableCode = 'not_processable';

/**
 * The code of an error that every further attempt would repeat; null where a retry may help. Also for work that keeps
 * its attempts in rows.
 */
export function permanentCode(error: unknown): string | null {
  if (error instanceof PermanentFailure) return error.code;
  return isOfTheData(error) ? unprocessableCode : null;
}

/**
 * Whether the job's data is at fault, so that every further attempt would fail alike: text that is not JSON, a value
 * too deep or too large for JavaScript, or one that no Postgres column takes (SQLSTATE classes 22, data exception, and
 * 54, program limit exceeded).
 */
function isOfTheData(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (error instanceof SyntaxError || error instanceof RangeError) return code === undefined;
  return typeof code === 'string' && /^(22|54)[0-9A-Z]{3}$/.test(code);
}

/** The error's own code where it has one (`ECONNREFUSED`, `contract_violation`), else `internal_error`. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'internal_error';
}
