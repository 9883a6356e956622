import { toProblem } from './problem.filter.js';

const failed = (code: string, message = 'failed'): Error => Object.assign(new Error(message), { code });

describe('what was thrown', () => {
  it.each([
    ['a connection that was refused', failed('ECONNREFUSED')],
    ['a connection that ended', new Error('Connection terminated unexpectedly')],
    ['a connection that had ended before', new Error('Client has encountered a connection error and is not queryable')],
    ['no connection of the pool in time', new Error('timeout exceeded when trying to connect')],
    ['Postgres on its way down', failed('57P01')],
    ['a statement that took too long', failed('57014')],
    ['two transactions that wait for each other', failed('40P01')],
    ['two transactions that read what the other writes', failed('40001')],
    ['one connection too many', failed('53300')],
  ])('is worth a retry by the caller: %s', (_what, error) => {
    expect(toProblem(error)).toMatchObject({ status: 503, code: 'unavailable', headers: { 'retry-after': '2' } });
  });

  it('names Postgres where that does not answer, and nothing else then', () => {
    const details = [failed('ECONNREFUSED'), failed('57P01'), failed('40P01'), new TypeError('fetch failed')].map(
      (error) => toProblem(error).detail,
    );
    expect(details.map((detail) => detail.startsWith('Postgres does not answer'))).toEqual([true, true, false, false]);
  });

  it.each([
    ['a row that is there already', failed('23505')],
    ['a bug', new TypeError('undefined is not a function')],
    ['no error at all', 'gone'],
  ])('is otherwise an internal error that reveals nothing: %s', (_what, error) => {
    expect(toProblem(error)).toMatchObject({
      status: 500,
      code: 'internal_error',
      detail: expect.not.stringMatching(/undefined|23505/),
    });
  });

  it('is an invalid text if Postgres refuses U+0000 in it', () => {
    expect(toProblem(failed('22P05'))).toMatchObject({ status: 422, code: 'invalid_text' });
  });
});
