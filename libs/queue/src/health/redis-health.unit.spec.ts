import { restoreLogs } from '#libs/testing';
import { Logger } from '@nestjs/common';
import { RedisHealth } from './redis-health.js';

const wrongLogin = new Error('WRONGPASS invalid username-password pair');
const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const notPermitted = new Error('NOPERM no permissions');

let nowMs: number;
let health: RedisHealth;
let lines: { level: string; event: string; code?: string }[];

beforeEach(() => {
  nowMs = Date.parse('2026-01-01T00:00:00Z');
  lines = [];
  const keep = (level: string) => (line: object) => void lines.push({ level, event: '', ...line });
  Logger.overrideLogger({ log: keep('log'), warn: keep('warn'), error: keep('error') });
  health = new RedisHealth(() => nowMs);
});
afterEach(restoreLogs);

/** Ten connections fail each second. */
function fail(seconds: number, ...errors: Error[]): void {
  for (let second = 0; second < seconds; second += 1, nowMs += 1_000) {
    for (let connection = 0; connection < 10; connection += 1) for (const error of errors) health.note(error);
  }
}
const events = (): string[] => lines.map(({ level, event, code }) => `${level} ${event}${code ? ` ${code}` : ''}`);

describe('the health of Redis', () => {
  it('is one warning, a reminder each minute, and one line at the end', () => {
    fail(150, wrongLogin);
    expect(events()).toEqual(Array.from({ length: 3 }, () => 'warn redis.trouble wrong_login'));
    expect(lines[0]).toMatchObject({ error: expect.stringContaining('WRONGPASS'), what_to_do: expect.any(String) });
    nowMs += 5_000;
    health.noteAnswer();
    expect(health.state()).toBeNull();
    expect(events().slice(3)).toEqual(['log redis.works_again']);
  });

  it('reports each recovery once, after the last trouble', () => {
    let recoveries = 0;
    health.onRecovery(() => (recoveries += 1));
    health.noteAnswer();
    fail(1, new Error('MISCONF Errors writing to the AOF file: No space left on device'));
    expect(recoveries).toBe(0);
    health.noteAnswer();
    health.noteAnswer();
    expect(recoveries).toBe(1);
  });

  it('reports a return once, whoever noticed it', () => {
    let recoveries = 0;
    health.onRecovery(() => (recoveries += 1));
    fail(1, refused);
    nowMs += 3_000;
    health.noteAnswer();
    nowMs += 1_000;
    health.noteReturn();
    expect(recoveries).toBe(1);
    nowMs += 2_000;
    health.noteReturn();
    expect(recoveries).toBe(2);
    nowMs -= 3_600_000;
    health.noteReturn();
    expect(recoveries).toBe(3);
  });

  it('has no more lines when a trouble comes and goes', () => {
    for (let times = 0; times < 5; times += 1) {
      fail(1, refused);
      nowMs += 4_000;
      health.noteAnswer();
    }
    expect(events()).toEqual(['warn redis.trouble unreachable', 'log redis.works_again']);
  });

  it('names the cause, not its consequence, since when it holds, and what took its place', () => {
    fail(5, refused, wrongLogin);
    expect(health.state()).toMatchObject({ code: 'wrong_login', since: '2026-01-01T00:00:00.000Z' });
    fail(21, refused);
    expect(health.state()).toMatchObject({ code: 'unreachable' });
  });

  it('is not well because a probe is answered, while others are refused', () => {
    health.note(notPermitted);
    for (const end = nowMs + 15_000; nowMs < end; nowMs += 5_000) health.noteAnswer();
    expect(health.state()).toMatchObject({ code: 'not_permitted' });
    nowMs += 5_000;
    health.noteAnswer();
    expect(health.state()).toBeNull();
  });
});
