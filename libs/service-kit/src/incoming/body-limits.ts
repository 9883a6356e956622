/** What bodies that arrive slowly, and bodies together, may take of a process that clients reach. */
export interface BodyLimits {
  BODY_PROMPT_MS: number;
  BODY_GRACE_MS: number;
  BODY_MIN_BYTES_PER_SECOND: number;
  SLOW_BODIES_PER_ADDRESS: number;
  SLOW_BODIES_PER_TOKEN: number;
  SLOW_BODIES: number;
  BODY_MEMORY_BYTES: number;
  BODY_MEMORY_BYTES_PER_ADDRESS: number;
}

export const bodyLimitDefaults: BodyLimits = {
  BODY_PROMPT_MS: 1_000,
  BODY_GRACE_MS: 10_000,
  BODY_MIN_BYTES_PER_SECOND: 500,
  SLOW_BODIES_PER_ADDRESS: 32,
  SLOW_BODIES_PER_TOKEN: 64,
  SLOW_BODIES: 1_000,
  BODY_MEMORY_BYTES: 268_435_456,
  BODY_MEMORY_BYTES_PER_ADDRESS: 134_217_728,
};
