import { SweepMark } from './sweep-mark.js';

describe('the position of a sweep', () => {
  const at = (nowMs: { ms: number }) => new SweepMark<string>(() => nowMs.ms);

  it('is stored after a hundred rows', () => {
    const mark = at({ ms: 0 });
    mark.passed('a', 'b', 60, false);
    expect([mark.from('a'), mark.isDue('a', 39), mark.isDue('a', 40)]).toEqual(['b', false, true]);
  });

  it('is stored a minute after it went ahead, whether or not more rows come', () => {
    const now = { ms: 0 };
    const mark = at(now);
    mark.passed('a', 'b', 1, false);
    now.ms = 30_000;
    mark.passed('a', 'c', 1, false);
    expect([mark.overdue('a'), mark.isDue('a', 1)]).toEqual([null, false]);
    now.ms = 60_000;
    expect([mark.overdue('a'), mark.isDue('a', 1)]).toEqual(['c', true]);
    mark.passed('a', 'c', 0, true);
    expect(mark.overdue('c')).toBeNull();
  });

  it('is that of another process once it has stored one', () => {
    const now = { ms: 0 };
    const mark = at(now);
    mark.passed('a', 'b', 1, false);
    now.ms = 60_000;
    expect([mark.from('z'), mark.overdue('z')]).toEqual(['z', null]);
  });
});
