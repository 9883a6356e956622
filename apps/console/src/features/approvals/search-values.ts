/** The filter values of the history, as in the URL. */
export const decidedStates = ['approved', 'refused', 'expired', 'cancelled'] as const;
