/** The name of a rule in a report. */
export const ruleNames = [
  'lone_surrogates',
  'html',
  'escape_sequences',
  'line_ends',
  'control_characters',
  'bidi_controls',
  'tag_characters',
  'invisible_characters',
  'joiners',
  'variation_selectors',
  'html_comments',
  'hidden_references',
  'chat_tokens',
  'turn_markers',
  'fence_markers',
  'combining_marks',
  'nfc',
  'thinking_blocks',
  'loading_elements',
  'images',
  'long_links',
  'code_links',
  'length',
] as const;
export type RuleName = (typeof ruleNames)[number];

/** What was done to a text; stored with the event, so that a person can see why two views of it differ. */
export interface SanitizerReport {
  /** How often each rule acted; a rule that did nothing is absent. `nfc` counts texts, `length` UTF-16 units. */
  counts: Partial<Record<RuleName, number>>;
  /** Passes over the text, the last one without a change. */
  rounds: number;
  /** UTF-16 units that a cap cut. */
  cut: number;
  /** False when the text still changed after the last round: it was withheld, and its message has to be parked. */
  settled: boolean;
}

export function emptyReport(): SanitizerReport {
  return { counts: {}, rounds: 0, cut: 0, settled: true };
}

export function count(report: SanitizerReport, rule: RuleName, times: number): void {
  if (times > 0) report.counts[rule] = (report.counts[rule] ?? 0) + times;
}

/** Adds the report of a part to that of the whole. */
export function addReport(whole: SanitizerReport, part: SanitizerReport): void {
  for (const rule of ruleNames) count(whole, rule, part.counts[rule] ?? 0);
  whole.rounds = Math.max(whole.rounds, part.rounds);
  whole.cut += part.cut;
  whole.settled &&= part.settled;
}
