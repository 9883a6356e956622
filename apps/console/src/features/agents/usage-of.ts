const millionths = 1_000_000;
const digits = 4;

/** How many days the usage of agents is shown for. */
export const usageDays = 30;

export const costOf = (micros: number): string =>
  (micros / millionths).toLocaleString(undefined, { maximumFractionDigits: digits });
