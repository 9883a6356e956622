/**
 * Ids of used tokens, each kept until the token would have expired. Only in this process's memory, so a token may still
 * be used once in each replica.
 */
export class SpentTokens {
  private readonly untilMs = new Map<string, number>();

  constructor(private readonly max: number) {}

  /**
   * Takes an id that has not been used.
   * @throws Error when it was used, or when no more ids can be remembered
   */
  spend(id: string, untilMs: number, nowMs = Date.now()): void {
    if (this.untilMs.has(id)) throw new Error('the token was used before');
    if (this.untilMs.size >= this.max) this.forgetExpired(nowMs);
    if (this.untilMs.size >= this.max) throw new Error(`${this.max} used tokens are remembered, which is the limit`);
    this.untilMs.set(id, untilMs);
  }

  get size(): number {
    return this.untilMs.size;
  }

  private forgetExpired(nowMs: number): void {
    for (const [id, untilMs] of this.untilMs) if (untilMs <= nowMs) this.untilMs.delete(id);
  }
}
