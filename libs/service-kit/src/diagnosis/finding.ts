/** What is checked; the vocabulary of `gatehouse doctor`. */
export const checks = [
  'services',
  'settings',
  'clocks',
  'postgres',
  'migrations',
  'redis',
  'egress',
  'signatures',
] as const;
export type Check = (typeof checks)[number];

/** The result of one check of one thing. */
export interface Finding {
  check: Check;
  /** error: something does not work, or a message may be lost. warning: it soon will not, or is unwise. */
  state: 'ok' | 'warning' | 'error';
  /** One line for people; contains no secret. */
  text: string;
  /** Null when all is well. */
  what_to_do: string | null;
}

/** A service's report on itself. */
export interface Diagnosis {
  service: string;
  /** The Node version. */
  runtime: string;
  /** Its clock, RFC 3339. */
  now: string;
  uptime_seconds: number;
  /** What has to be equal in all services that report it. */
  alike: Record<string, string>;
  findings: Finding[];
}

export const well = (check: Check, text: string): Finding => ({ check, state: 'ok', text, what_to_do: null });
export const unwise = (check: Check, text: string, what_to_do: string): Finding => ({
  check,
  state: 'warning',
  text,
  what_to_do,
});
export const broken = (check: Check, text: string, what_to_do: string): Finding => ({
  check,
  state: 'error',
  text,
  what_to_do,
});

/** Clocks of services may differ by this much: beyond it, one service refuses another's tokens. */
const refusedFromMs = 10_000;
const noticedFromMs = 2_000;

/** @param aheadMs how far the clock is ahead of the other one; negative: behind it */
export function clockFinding(what: string, aheadMs: number): Finding {
  const apart = Math.abs(aheadMs);
  const text = `${what} is ${(apart / 1000).toFixed(1)} s ${aheadMs < 0 ? 'behind' : 'ahead'}.`;
  const advice =
    'Synchronise the clocks of all machines (NTP): from a difference of 10 s, service tokens and signed times are refused.';
  if (apart >= refusedFromMs) return broken('clocks', text, advice);
  return apart >= noticedFromMs ? unwise('clocks', text, advice) : well('clocks', text);
}
