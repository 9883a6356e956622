import { plainFormat, rewriteMarkdown, splitText, type FormatRequest, type FormatResult } from '#libs/adapter-sdk';

/** Pure: Markdown stays Markdown, or becomes plain text; broadcast mentions are made inert either way. */
export function formatMessage(request: FormatRequest, maxLength: number): FormatResult {
  if (request.mode === 'plain') return plainFormat(request, maxLength);
  const text = rewriteMarkdown(request.text, 'broadcast');
  return { text, format: 'markdown', parts: splitText(text, request.max_length ?? maxLength), lossy: [] };
}
