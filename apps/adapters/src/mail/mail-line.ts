/** What a line of a mail is: its writer's own words, what they answer, or what stands below every mail of theirs. */
export type LineKind = 'own' | 'quoted' | 'signature';

export interface MailLine {
  text: string;
  kind: LineKind;
}

/** A text part as lines. What `>` marks is quoted. */
export function textLines(text: string): MailLine[] {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => ({ text: line, kind: /^\s?>/.test(line) ? 'quoted' : 'own' }));
}

/** The lines as they are read. */
export function textOfLines(lines: readonly MailLine[]): string {
  return lines
    .map(({ text }) => text)
    .join('\n')
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .trimEnd();
}
