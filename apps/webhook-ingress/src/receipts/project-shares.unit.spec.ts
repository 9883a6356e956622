import { ProjectShares, type Reading } from './project-shares.js';

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
