import type { SanitizerReport } from './report.js';

const maxRounds = 8;
const withheld = '[text withheld: it did not settle]';

/**
 * Repeats the rules until nothing changes, because what one removes may bring together what another looks for. A text
 * that still changes after the last round is withheld, and `report.settled` is false.
 */
export function untilSettled(text: string, report: SanitizerReport, round: (text: string) => string): string {
  let current = text;
  while (report.rounds < maxRounds) {
    report.rounds += 1;
    const next = round(current);
    if (next === current) return current;
    current = next;
  }
  report.settled = false;
  return withheld;
}
