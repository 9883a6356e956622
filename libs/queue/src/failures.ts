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
  ) {
    super(`run again in ${delayMs} ms: ${code}`);
  }
}

/** What becomes of a job whose handler threw. */
export type Verdict = { do: 'retry' } | { do: 'later'; delayMs: number } | { do: 'dead'; code: string };

/** The one place that decides between retry, later and dead letter. */
export function judge(error: unknown, attempt: number, attempts: number): Verdict {
  if (error instanceof RunLater) return { do: 'later', delayMs: error.delayMs };
  if (error instanceof PermanentFailure) return { do: 'dead', code: error.code };
  if (attempt >= attempts) return { do: 'dead', code: errorCode(error) };
  return { do: 'retry' };
}

/** The error's own code where it has one (`ECONNREFUSED`, `contract_violation`), else `internal_error`. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'internal_error';
}
