import {
  neutraliseBroadcasts,
  plainFormat,
  splitText,
  type DeliverCall,
  type FormatRequest,
  type FormatResult,
} from '#libs/adapter-sdk';

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Pure: GitHub reads Markdown, so only the mentions change. */
export function formatMessage(request: FormatRequest, maxLength: number): FormatResult {
  const { text, mode, max_length: limit = maxLength } = request;
  if (mode === 'rich') {
    const safe = withoutMentions(text);
    return { text: safe, format: 'markdown', parts: splitText(safe, limit), lossy: [] };
  }
  return plainFormat(request, maxLength, 'all');
}

/** The bodies to post, one per part. */
export function partsToPost({ text, format }: DeliverCall['message'], maxLength: number): string[] {
  if (format !== 'plain') return splitText(withoutMentions(text), maxLength);
  return splitText(neutraliseBroadcasts(text, 'all'), Math.floor(maxLength / 2)).map(escapeMarkdown);
}

/** Markdown in which no `@name` notifies anybody. Code stays as it is (`@Override`): GitHub notifies nobody there. */
function withoutMentions(markdown: string): string {
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

/** Pieces with an odd index are code spans. */
function withoutMentionsInLine(line: string): string {
  return line
    .split(/(`[^`\n]+`)/)
    .map((piece, index) => (index % 2 === 1 ? piece : neutraliseBroadcasts(piece, 'all')))
    .join('');
}

/** Plain text escaped so that Markdown shows it unchanged. At most twice as long. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>#|~]/g, String.raw`\$&`);
}
