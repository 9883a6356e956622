import type { PlannedSession } from './decide.js';

const dayMs = 86_400_000;

/** @returns the time before which the last message has to have come for the session to start anew, or null */
export function resetBefore(
  { idleResetMinutes, dailyResetHour }: Pick<PlannedSession, 'idleResetMinutes' | 'dailyResetHour'>,
  nowMs: number,
): Date | null {
  const idle = idleResetMinutes === null ? null : nowMs - idleResetMinutes * 60_000;
  const hourMs = (dailyResetHour ?? 0) * 3_600_000;
  const daily = dailyResetHour === null ? null : Math.floor((nowMs - hourMs) / dayMs) * dayMs + hourMs;
  if (idle === null && daily === null) return null;
  return new Date(Math.max(idle ?? 0, daily ?? 0));
}
