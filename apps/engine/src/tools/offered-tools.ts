import type { Tool } from './tool.js';

/** The tools of one turn: those that the model is told of at once, and those that it finds by a search. */
export class OfferedTools {
  private readonly named: Map<string, Tool>;
  private readonly hidden: Map<string, Tool>;
  /** In the order in which they were found; the last one was found last. */
  private found: string[] = [];

  /**
   * @param direct told of in every step
   * @param searched told of once they are found
   * @param room of the found ones, as many are told of at once: the last
   */
  constructor(
    private readonly direct: Tool[],
    searched: Tool[] = [],
    private readonly room = 0,
  ) {
    this.named = new Map(direct.map((tool) => [tool.name, tool]));
    this.hidden = new Map(searched.map((tool) => [tool.name, tool]));
  }

  /** What the model is told of now. */
  get told(): Tool[] {
    const found = this.found.slice(-this.room).flatMap((name) => this.hidden.get(name) ?? []);
    return this.room > 0 ? [...this.direct, ...found] : this.direct;
  }

  /** How many are found by a search alone. */
  get searchable(): number {
    return this.hidden.size;
  }

  /** A tool that the model was told of in this turn; undefined: none. */
  callable(name: string): Tool | undefined {
    return this.named.get(name) ?? (this.found.includes(name) ? this.hidden.get(name) : undefined);
  }

  /** A search found them. */
  reveal(names: string[]): void {
    const known = names.filter((name) => this.hidden.has(name));
    this.found = [...this.found.filter((name) => !known.includes(name)), ...known];
  }
}
