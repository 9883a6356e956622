import { neutraliseBroadcasts } from '#libs/adapter-sdk';

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Markdown in which no `@name` notifies anybody. In code GitHub notifies nobody, and `@Override` has to stay what it is.
 */
export function withoutMentions(markdown: string): string {
  let fence: string | undefined;
  return markdown
    .split('\n')
    .map((line) => {
      const marker = FENCE.exec(line)?.[1];
      if (marker !== undefined && (fence === undefined || marker.startsWith(fence))) {
        fence = fence === undefined ? marker : undefined;
        return line;
      }
      return fence === undefined ? withoutMentionsInLine(line) : line;
    })
    .join('\n');
}

/** Odd pieces are code spans. */
function withoutMentionsInLine(line: string): string {
  return line
    .split(/(`[^`\n]+`)/)
    .map((piece, index) => (index % 2 === 1 ? piece : neutraliseBroadcasts(piece, 'all')))
    .join('');
}

/** Plain text as Markdown that shows it as it stands. At most twice as long. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>#|~]/g, String.raw`\$&`);
}
