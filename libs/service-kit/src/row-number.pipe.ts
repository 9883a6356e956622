import type { PipeTransform } from '@nestjs/common';
import { notFound, Problem } from './problem.js';

const most = 2_147_483_647;

/** For a path parameter that is the number of a row: no row has a number beyond Postgres's `integer`. */
export class RowNumberPipe implements PipeTransform<string | number, number> {
  /** @param what the row is, as in `notFound` */
  constructor(private readonly what: string) {}

  /** @throws Problem 400 `invalid_request` when it is not a whole number; 404 when no row can have it */
  transform(value: string | number): number {
    const number = Number(value);
    if (!Number.isInteger(number)) {
      throw new Problem(400, 'invalid_request', `The path must name the ${this.what} by a whole number.`);
    }
    if (number < 1 || number > most) throw notFound(this.what, value);
    return number;
  }
}
