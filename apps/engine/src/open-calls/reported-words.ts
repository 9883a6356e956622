/** Calls whose last words are known here. */
const most = 1_000;

/** What was reported last of each call. Words are reported once more by another process, and after a restart. */
export class ReportedWords {
  private readonly last = new Map<string, string>();

  /** Whether the words are others than the last ones, which they then are. */
  isNew(id: string, words: string): boolean {
    if (this.last.get(id) === words) return false;
    this.last.delete(id);
    this.last.set(id, words);
    for (const oldest of this.last.keys()) {
      if (this.last.size <= most) break;
      this.last.delete(oldest);
    }
    return true;
  }
}
