/** Milliseconds for a provider that is going to answer: on a busy machine that may take seconds. */
export const PATIENT_MS = 20_000;

/** Milliseconds where a provider that never answers is part of the test. */
export const HASTY_MS = 2_000;
