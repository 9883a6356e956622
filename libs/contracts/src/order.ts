/** Order of a list by time: `desc`, newest first. */
export const orders = ['desc', 'asc'] as const;
export type Order = (typeof orders)[number];
