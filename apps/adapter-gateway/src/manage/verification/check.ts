/** `skipped`: it could not be found out. `not_applicable`: there is nothing of the kind to check. */
export const checkStatuses = ['ok', 'failed', 'skipped', 'not_applicable'] as const;
export type CheckStatus = (typeof checkStatuses)[number];

/** The checks of Verify, in the order in which they are shown. */
export const checkNames = {
  adapter_ready: 'Adapter is healthy',
  credentials_accepted: 'Credentials are accepted',
  endpoint_reachable: 'Webhook URL is reachable',
  sample_accepted: 'A sample is accepted',
  unsigned_refused: 'An unsigned request is refused',
  tampered_refused: 'A tampered request is refused',
  stale_refused: 'A stale request is refused',
  handshake_answered: 'The handshake is answered',
  delivery_prepared: 'A delivery can be prepared',
  clock_skew: 'Clocks agree',
} as const;
export type CheckId = keyof typeof checkNames;

/** The result of one check. */
export interface Verdict {
  status: CheckStatus;
  /** What was found, for a person. */
  sentence: string;
  took_ms?: number;
  /** What to do about it, where it failed. */
  what_to_do?: string;
  /** What was sent and what came back, to copy. */
  details?: string;
}

export interface Check {
  id: CheckId;
  name: string;
  status: CheckStatus;
  sentence: string;
  took_ms: number | null;
  what_to_do: string | null;
  details: string | null;
}

export const notApplicable = (sentence: string): Verdict => ({ status: 'not_applicable', sentence });
export const skipped = (sentence: string): Verdict => ({ status: 'skipped', sentence });

export function checkOf(id: CheckId, verdict: Verdict): Check {
  const { status, sentence, took_ms = null, what_to_do = null, details = null } = verdict;
  return { id, name: checkNames[id], status, sentence, took_ms, what_to_do, details };
}
