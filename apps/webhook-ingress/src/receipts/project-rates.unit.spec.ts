import { ProjectRates } from './project-rates.js';

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
