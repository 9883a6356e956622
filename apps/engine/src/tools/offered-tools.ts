import type { Tool } from './tool.js';

/** The tools of one turn: those that the model is shown at once, and those that it finds by a search. */
export class OfferedTools {
  private readonly named: Map<string, Tool>;
  private readonly hidden: Map<string, Tool>;
  /** In the order in which they were found. */
  private found: string[] = [];

  /**
   * @param direct shown in every step
   * @param searched shown once they are found
   * @param room how many found tools are shown at once: the newest
   */
  constructor(
    private readonly direct: Tool[],
    searched: Tool[] = [],
    private readonly room = 0,
  ) {
    this.named = new Map(direct.map((tool) => [tool.name, tool]));
    this.hidden = new Map(searched.map((tool) => [tool.name, tool]));
  }

  /** The tools that the model is shown now. */
  get shown(): Tool[] {
    const found = this.found.slice(-this.room).flatMap((name) => this.hidden.get(name) ?? []);
    return this.room > 0 ? [...this.direct, ...found] : this.direct;
  }

  /** How many can only be found by a search. */
  get searchable(): number {
    return this.hidden.size;
  }

  /** A tool that the model was shown in this turn; undefined if there is none. */
  callable(name: string): Tool | undefined {
    return this.named.get(name) ?? (this.found.includes(name) ? this.hidden.get(name) : undefined);
  }

  /** The name of the tool that a model means: some add spaces, the namespace `functions.` or the number of the call. */
  nameOf(given: string): string {
    const bare = given.trim();
    const forms = [
      bare,
      bare.replace(/^functions?[.:/]/, ''),
      bare.replace(/^functions?[.:/]/, '').replace(/:\d+$/, ''),
    ];
    return forms.find((name) => this.callable(name)) ?? bare;
  }

  /** Shows tools that a search found. */
  reveal(names: string[]): void {
    const known = names.filter((name) => this.hidden.has(name));
    this.found = [...this.found.filter((name) => !known.includes(name)), ...known];
  }
}
