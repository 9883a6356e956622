import type { PipeTransform } from '@nestjs/common';
import { notFound, Problem } from './problem.js';

const most = 2_147_483_647;

/** Of a parameter of a path that is the number of a row: what no column of Postgres's `integer` holds is no row's. */
export class RowNumberPipe implements PipeTransform<string | number, number> {
  /** @param what of the row, as in `notFound` */
  constructor(private readonly what: string) {}

  /** @throws Problem 400 `invalid_request` for what is no whole number; 404 for one that no row has */
  transform(value: string | number): number {
    const number = Number(value);
    if (!Number.isInteger(number)) {
      throw new Problem(400, 'invalid_request', `The address has to name the ${this.what} by a whole number.`);
    }
    if (number < 1 || number > most) throw notFound(this.what, value);
    return number;
  }
}
