/** Time-out in ms for a provider that will answer: on a busy machine that may take seconds. */
export const PATIENT_MS = 20_000;

/** Time-out in ms where the provider never answers as part of the test. */
export const HASTY_MS = 2_000;
