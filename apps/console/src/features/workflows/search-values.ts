/** What the lists of runs and of a trial can be narrowed to, as the URL writes it. */
export const runStates = [
  'suspended',
  'queued',
  'running',
  'waiting',
  'waiting_approval',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
] as const;
export const verdicts = ['matched', 'filtered', 'filter_error'] as const;
