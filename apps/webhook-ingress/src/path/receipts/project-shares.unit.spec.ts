import { ProjectLines, ProjectRates, ProjectShares, type Reading } from './project-shares.js';

const nobody = (): boolean => false;
const reading = (change: Partial<Reading> = {}): Reading => ({
  ownIsDone: true,
  surplusIsDone: false,
  added: 0,
  nowMs: 0,
  ...change,
});
/** How many of `count` messages are within the share. */
const within = (shares: ProjectShares, projectId: string, count: number): number =>
  Array.from({ length: count }, () => shares.take(projectId, 0)).filter(Boolean).length;

describe('the shares of projects', () => {
  it('are an advance for each, which others do not use up', () => {
    const shares = new ProjectShares(10);
    expect([within(shares, 'flood', 50), within(shares, 'b', 10)]).toEqual([10, 10]);
    expect([shares.isOver('flood'), shares.isOver('b')]).toEqual([true, false]);
  });

  it('are whole again once nothing of them waits, and not before', () => {
    const shares = new ProjectShares(10);
    within(shares, 'a', 10);
    shares.read(reading({ ownIsDone: false }), nobody);
    shares.read(reading({ surplusIsDone: true }), nobody);
    expect(within(shares, 'a', 11)).toBe(10);
    shares.read(reading({ ownIsDone: false }), nobody);
    expect(within(shares, 'a', 5)).toBe(0);
  });

  it('keep a project over until its surplus is through: its later messages overtake no earlier ones', () => {
    const shares = new ProjectShares(10);
    within(shares, 'flood', 11);
    shares.read(reading({ surplusIsDone: true }), () => true);
    expect(shares.isOver('flood')).toBe(true);
    shares.read(reading({ added: 1_000 }), nobody);
    expect(within(shares, 'flood', 1)).toBe(0);
    shares.read(reading({ surplusIsDone: true }), nobody);
    expect(within(shares, 'flood', 1)).toBe(1);
  });

  it('let a project return that has sent little for a while, even if another one keeps flooding', () => {
    const shares = new ProjectShares(10);
    within(shares, 'was', 11);
    within(shares, 'flood', 1_000);
    for (let nowMs = 0; nowMs <= 10_000; nowMs += 1_000) {
      shares.read(reading({ added: 30, nowMs }), (projectId) => projectId === 'flood');
      within(shares, 'flood', 100);
      shares.take('was', nowMs);
    }
    expect([shares.isOver('was'), shares.isOver('flood')]).toEqual([false, true]);
  });

  it('give back a part of what passes while somebody is over: two equal senders are treated alike', () => {
    const shares = new ProjectShares(20);
    within(shares, 'first', 21);
    let second = 0;
    for (let round = 0; round < 20; round += 1) {
      second += within(shares, 'second', 30);
      within(shares, 'first', 30);
      shares.read(reading({ added: 10 }), nobody);
    }
    expect(second).toBeLessThan(20 * 10);
    expect(shares.isOver('second')).toBe(true);
  });

  it('ask for a reading when half of one is used up', () => {
    const shares = new ProjectShares(10);
    within(shares, 'a', 5);
    expect(shares.isLow).toBe(false);
    within(shares, 'a', 1);
    expect(shares.isLow).toBe(true);
  });
});

/** Lines with the given number of receipts for each project, numbered. */
function linesOf(counts: Record<string, number>, most = 1_000): ProjectLines {
  const lines = new ProjectLines(most);
  for (const [projectId, count] of Object.entries(counts)) {
    for (let n = 0; n < count; n += 1) lines.add({ projectId, id: `${projectId}${n}` });
  }
  return lines;
}
const idsOf = (taken: { id: string }[]): string[] => taken.map(({ id }) => id);

describe('the lines of projects', () => {
  it('take one of each project in turn, and continue with the next one', () => {
    const lines = linesOf({ a: 6, b: 2, c: 3 });
    expect(idsOf(lines.take(4))).toEqual(['a0', 'b0', 'c0', 'a1']);
    expect(idsOf(lines.take(3))).toEqual(['b1', 'c1', 'a2']);
    expect(idsOf(lines.take(100))).toEqual(['c2', 'a3', 'a4', 'a5']);
    expect([lines.size, lines.projects]).toEqual([0, 0]);
  });

  it('give a waiting project its part of every sequence, whatever others have', () => {
    const lines = linesOf({ flood: 900, b: 40, c: 40 });
    const taken = [7, 1, 13, 30, 2, 55].flatMap((limit) => lines.take(limit));
    const others = taken.slice(0, 108);
    for (let begin = 0; begin + 12 <= others.length; begin += 1) {
      const window = others.slice(begin, begin + 12);
      for (const project of ['b', 'c']) expect(window.filter(({ projectId }) => projectId === project)).toHaveLength(4);
    }
  });

  it('keep the order of a project, also of what is put back', () => {
    const lines = linesOf({ a: 4 });
    const taken = lines.take(2);
    lines.add({ projectId: 'a', id: 'a4' });
    lines.putBack(taken);
    expect(lines.size).toBe(5);
    expect(idsOf(lines.take(9))).toEqual(['a0', 'a1', 'a2', 'a3', 'a4']);
  });

  it('skip a project that may not go now, and keep its place', () => {
    const lines = linesOf({ a: 2, b: 2 });
    expect(idsOf(lines.take(9, (projectId) => projectId !== 'a'))).toEqual(['b0', 'b1']);
    expect(lines.lengthOf('a')).toBe(2);
  });

  it('keep room for others when one project fills them, and hold each receipt once', () => {
    const lines = linesOf({ flood: 200, b: 5 }, 100);
    expect([lines.lengthOf('flood'), lines.lengthOf('b')]).toEqual([80, 5]);
    lines.add({ projectId: 'b', id: 'b0' });
    expect([lines.size, lines.has('b0'), lines.has('flood199')]).toEqual([85, true, false]);
  });
});

const takenOf = (rates: ProjectRates, projectId: string, count: number, nowMs: number): number =>
  Array.from({ length: count }, () => rates.take(projectId, nowMs)).filter(Boolean).length;

describe('the rates of projects', () => {
  it('allow one second’s worth at once, then the rate, for each project separately', () => {
    const rates = new ProjectRates((projectId) => (projectId === 'free' ? 0 : 10));
    expect([takenOf(rates, 'a', 50, 0), takenOf(rates, 'b', 5, 0), takenOf(rates, 'free', 50, 0)]).toEqual([10, 5, 50]);
    expect(takenOf(rates, 'a', 50, 500)).toBe(5);
    expect(takenOf(rates, 'a', 50, 60_000)).toBe(10);
  });

  it('follow a changed setting', () => {
    let rate = 1;
    const rates = new ProjectRates(() => rate);
    expect(takenOf(rates, 'a', 5, 0)).toBe(1);
    rate = 100;
    expect(takenOf(rates, 'a', 500, 1_000)).toBe(100);
  });
});
