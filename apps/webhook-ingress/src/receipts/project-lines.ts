import { idTimeMs } from '#libs/contracts';

/** A receipt that waits for room. */
export interface InLine {
  projectId: string;
  id: string;
  /** For a receipt that is enqueued again: the attempts recorded in its timeline. Absent: it was never enqueued. */
  tried?: number;
}

/**
 * Receipts that wait for room, by project, in order within each. Projects take turns, however many receipts each has.
 */
export class ProjectLines {
  /** The project whose turn is next comes first. */
  private readonly lines = new Map<string, Map<string, InLine>>();
  private count = 0;

  /** @param most ids in total; one project may hold four fifths of them, so that others find a place */
  constructor(private readonly most: number) {}

  get size(): number {
    return this.count;
  }

  get projects(): number {
    return this.lines.size;
  }

  lengthOf(projectId: string): number {
    return this.lines.get(projectId)?.size ?? 0;
  }

  has(id: string): boolean {
    return [...this.lines.values()].some((line) => line.has(id));
  }

  /** A receipt that finds no place is left to the sweep. */
  add(one: InLine): void {
    if (this.count >= this.most || this.lengthOf(one.projectId) >= this.most * 0.8) return;
    let line = this.lines.get(one.projectId);
    if (!line) this.lines.set(one.projectId, (line = new Map()));
    if (!line.has(one.id)) this.count += 1;
    line.set(one.id, one);
  }

  /**
   * Takes one receipt of each project in turn, up to `limit`. The next call continues with the project after the last.
   * @param mayTake whether one more of a project may go now
   */
  take(limit: number, mayTake: (projectId: string) => boolean = () => true): InLine[] {
    const taken: InLine[] = [];
    for (let before = -1; taken.length > before && taken.length < limit;) {
      before = taken.length;
      for (const [projectId, line] of Array.from(this.lines)) {
        if (taken.length >= limit) break;
        if (mayTake(projectId)) taken.push(this.first(projectId, line));
      }
    }
    return taken;
  }

  /** Puts back what was taken and could not be read, ahead of what came since. */
  putBack(taken: InLine[]): void {
    for (const [projectId, ones] of Map.groupBy(taken, (one) => one.projectId)) {
      const since = this.lines.get(projectId) ?? new Map<string, InLine>();
      this.count += ones.length;
      this.lines.set(projectId, new Map([...ones.map((one) => [one.id, one] as const), ...since]));
    }
  }

  /** Age of the oldest receipt in ms, 0 when none waits. */
  get oldestMs(): number {
    const firsts = [...this.lines.values()].flatMap((line) => line.keys().next().value ?? []);
    return firsts.length === 0 ? 0 : Math.max(0, Date.now() - Math.min(...firsts.map(idTimeMs)));
  }

  private first(projectId: string, line: Map<string, InLine>): InLine {
    const [one] = line.values();
    if (!one) throw new Error('a line without receipts is none');
    line.delete(one.id);
    this.count -= 1;
    this.lines.delete(projectId);
    if (line.size > 0) this.lines.set(projectId, line);
    return one;
  }
}
