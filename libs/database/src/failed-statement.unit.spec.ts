import pg from 'pg';
import { QueryFailedError } from 'typeorm';
import { isPostgresAway } from './failed-statement.js';
import { ResilientClient } from './resilient-client.js';

const coded = (code: string): Error => Object.assign(new Error('failed'), { code });

describe('a failed statement', () => {
  it.each(['08006', '57P01', '57P03', '53300', '25006'])('had no Postgres that takes any: SQLSTATE %s', (code) => {
    expect(isPostgresAway(coded(code))).toBe(true);
    expect(isPostgresAway(new QueryFailedError('SELECT', [], coded(code)))).toBe(true);
  });

  it.each(['23505', '40P01', '57014', 'ECONNREFUSED'])('may have met a Postgres that works: %s', (code) => {
    expect(isPostgresAway(coded(code))).toBe(false);
  });

  it('had none where its own connection was refused, as opposed to that of something else', async () => {
    const client = new ResilientClient({ host: '127.0.0.1', port: 1 });
    const error: unknown = await client.connect().catch((refused: unknown) => refused);
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    expect(isPostgresAway(error)).toBe(true);
    expect(isPostgresAway(new QueryFailedError('SELECT', [], error as Error))).toBe(true);
    const other: unknown = await new pg.Client({ host: '127.0.0.1', port: 1 }).connect().catch((e: unknown) => e);
    expect(isPostgresAway(other)).toBe(false);
  });
});
