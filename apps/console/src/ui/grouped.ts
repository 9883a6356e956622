import { once } from './once.js';

const format = once(() => new Intl.NumberFormat());
/** Whole numbers below it have no group separator. */
const thousand = 1_000;

/** A number in the reader's locale: `12,345`. */
export const grouped = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) < thousand ? String(value) : format().format(value);
