/** The filter values of the lists of runs and of a dry run, as in the URL. */
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
