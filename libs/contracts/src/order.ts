/** Of a list by time: `desc`, the newest first. */
export const orders = ['desc', 'asc'] as const;
export type Order = (typeof orders)[number];
