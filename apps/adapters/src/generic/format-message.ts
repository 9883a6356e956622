import {
  markdownToPlain,
  neutraliseBroadcasts,
  splitText,
  type FormatRequest,
  type FormatResult,
} from '#libs/adapter-sdk';

/** Pure: Markdown stays Markdown, or becomes plain text; broadcast mentions are made inert either way. */
export function formatMessage({ text, mode, max_length }: FormatRequest, maxLength: number): FormatResult {
  const plain = mode === 'plain' ? markdownToPlain(text) : { text, lossy: [] };
  const safe = neutraliseBroadcasts(plain.text);
  return {
    text: safe,
    format: mode === 'plain' ? 'plain' : 'markdown',
    parts: splitText(safe, max_length ?? maxLength),
    lossy: plain.lossy,
  };
}
