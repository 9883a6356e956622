import { ProjectLines } from './project-lines.js';

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
