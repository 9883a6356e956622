/** `not_applicable`: the adapter does not offer it. `skipped`: it may, but a fixture for the check is missing. */
export type CheckStatus = 'passed' | 'failed' | 'skipped' | 'not_applicable';

export interface CheckFailure {
  /** The call that showed it, with credentials redacted and long bodies cut. */
  request: string;
  expected: string;
  got: string;
  /** What to do about it. */
  advice: string;
}

export interface CheckResult {
  /** Point and name, such as `3.stale`. */
  id: string;
  title: string;
  status: CheckStatus;
  /** Why it was skipped or does not apply. */
  reason?: string;
  failure?: CheckFailure;
}

/** `incomplete`: what ran passed, but something was skipped. A point passes only when nothing of it was skipped. */
export type PointStatus = CheckStatus | 'incomplete';

export interface PointResult {
  point: number;
  title: string;
  status: PointStatus;
  checks: CheckResult[];
}

export interface ConformanceReport {
  contract: '1';
  url: string;
  /** According to `/health`; null when it does not say. */
  adapter: string | null;
  version: string | null;
  started_at: string;
  duration_ms: number;
  /** No check failed; skipped ones do not count. */
  ok: boolean;
  summary: Record<CheckStatus, number>;
  points: PointResult[];
}

export function pointStatus(checks: readonly CheckResult[]): PointStatus {
  const has = (status: CheckStatus): boolean => checks.some((check) => check.status === status);
  if (has('failed')) return 'failed';
  if (has('skipped')) return has('passed') ? 'incomplete' : 'skipped';
  return has('passed') ? 'passed' : 'not_applicable';
}

export function countByStatus(points: readonly PointResult[]): Record<CheckStatus, number> {
  const counts = { passed: 0, failed: 0, skipped: 0, not_applicable: 0 };
  for (const check of points.flatMap((point) => point.checks)) counts[check.status]++;
  return counts;
}
