import { restoreLogs } from '#libs/testing';
import { Logger } from '@nestjs/common';
import { LastingTrouble } from './lasting-trouble.js';

const refused = (port: number): Error => Object.assign(new Error(`connect :${port}`), { code: 'ECONNREFUSED' });

let nowMs: number;
let lines: { event: string; what?: string[]; error?: string; lasted_ms?: number }[];
let trouble: LastingTrouble;

beforeEach(() => {
  nowMs = 0;
  lines = [];
  const keep = (line: (typeof lines)[number]): void => void lines.push(line);
  Logger.overrideLogger({ log: keep, warn: keep, error: keep });
  trouble = new LastingTrouble('sweepers', 'sweeps.failing', () => nowMs);
});
afterEach(restoreLogs);

it('is one warning, a reminder a minute that names all that fail, and a line when it is over', () => {
  for (nowMs = 0; nowMs <= 60_000; nowMs += 1_000) {
    trouble.fails('turns', refused(nowMs));
    trouble.fails('replies', refused(nowMs + 1));
  }
  trouble.works('turns');
  trouble.works('others');
  trouble.works('replies');
  expect(lines).toMatchObject([
    { event: 'sweeps.failing', what: ['turns'], error: expect.stringContaining('connect') },
    { event: 'sweeps.failing', what: ['turns', 'replies'] },
    { event: 'sweeps.failing.over', lasted_ms: 61_000 },
  ]);
});

it('is written anew when it has another reason, or comes back', () => {
  trouble.fails('turns', refused(1));
  trouble.fails('turns', new Error('relation does not exist'));
  trouble.fails('turns', refused(1));
  trouble.works('turns');
  trouble.fails('turns', refused(1));
  expect(lines.map(({ event, error }) => error ?? event)).toEqual([
    'Error: connect :1',
    'Error: relation does not exist',
    'sweeps.failing.over',
    'Error: connect :1',
  ]);
});
