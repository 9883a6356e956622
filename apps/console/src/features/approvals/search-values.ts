/** What the history can be narrowed to, as the URL writes it. */
export const decidedStates = ['approved', 'refused', 'expired', 'cancelled'] as const;
