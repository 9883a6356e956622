import { once } from './once.js';

const format = once(() => new Intl.NumberFormat());
/** A whole number below it has no groups. */
const thousand = 1_000;

/** A number as the reader writes it: `12,345`. */
export const grouped = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) < thousand ? String(value) : format().format(value);
