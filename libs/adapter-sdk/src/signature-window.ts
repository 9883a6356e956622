/** How far a signed timestamp may be from the time of receipt, in either direction. */
export const SIGNATURE_TOLERANCE_SECONDS = 300;

/** Whether a header's Unix timestamp in seconds lies within the window; text that is not a whole number does not. */
export function isFreshTimestamp(
  timestamp: string,
  now: Date,
  toleranceSeconds = SIGNATURE_TOLERANCE_SECONDS,
): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  return Math.abs(now.getTime() / 1000 - Number(timestamp)) <= toleranceSeconds;
}
