import { Database } from '#libs/database';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** The process "died" here: its open transaction is rolled back, and what it had committed stays. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

/** Lets a number of statements of a router's transactions through, and dies before or after the next one. */
export interface Fuse {
  /** @param statements how many still run; @param after true: the fatal statement runs too, but its result is lost */
  light(statements: number, after: boolean): void;
  putOut(): void;
}

export function fuseOf(router: NestFastifyApplication): Fuse {
  const db = router.get(Database, { strict: false });
  let left: number | null = null;
  let after = false;
  const create = db.createQueryRunner.bind(db);
  db.createQueryRunner = (mode) => {
    const runner = create(mode);
    const query = runner.query.bind(runner) as (...given: [string, ...unknown[]]) => Promise<unknown>;
    const fused = async (...given: [string, ...unknown[]]): Promise<unknown> => {
      if (left === null || given[0] === 'ROLLBACK') return query(...given);
      left -= 1;
      if (left >= 0) return query(...given);
      left = null;
      if (after) await query(...given);
      throw new Crash(`died at ${given[0].trim().slice(0, 40)}`);
    };
    return Object.assign(runner, { query: fused });
  };
  return {
    light: (statements, alsoRuns) => {
      left = statements;
      after = alsoRuns;
    },
    putOut: () => {
      left = null;
    },
  };
}
