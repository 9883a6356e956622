import {
  neutraliseBroadcasts,
  plainFormat,
  rewriteMarkdown,
  splitText,
  type DeliverCall,
  type FormatRequest,
  type FormatResult,
} from '#libs/adapter-sdk';

/** Of a provider whose comments are Markdown. */
export interface MarkdownComments {
  maxLength: number;
  /** It reads formulas and tags as GitHub does. */
  asGithub?: boolean;
}

/** Pure: only what the provider would show otherwise changes, and no `@name` notifies anybody. */
export function formatMessage(request: FormatRequest, { maxLength, ...dialect }: MarkdownComments): FormatResult {
  const { text, mode, max_length: limit = maxLength } = request;
  if (mode === 'rich') {
    const safe = rewriteMarkdown(text, 'all', dialect);
    return { text: safe, format: 'markdown', parts: splitText(safe, limit), lossy: [] };
  }
  return plainFormat(request, maxLength, 'all');
}

/** The bodies to post, one per part. */
export function partsToPost(
  { text, format }: DeliverCall['message'],
  { maxLength, ...dialect }: MarkdownComments,
): string[] {
  if (format !== 'plain') return splitText(rewriteMarkdown(text, 'all', dialect), maxLength);
  return splitText(neutraliseBroadcasts(text, 'all'), Math.floor(maxLength / 2)).map(escapeMarkdown);
}

/** Plain text escaped so that Markdown shows it unchanged. At most twice as long. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>#|~]/g, String.raw`\$&`);
}
