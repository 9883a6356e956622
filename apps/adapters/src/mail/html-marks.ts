import type { ElementMark } from './open-elements.js';

type Attributes = ReadonlyMap<string, string>;

const UNSHOWN = new Set(['script', 'style', 'head', 'title', 'template', 'noscript', 'object']);

/** The ways in which senders hide a preview text, or a tracking pixel's words. */
const HIDING =
  /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$)|font-size\s*:\s*[01](?:\.0+)?(?:px|pt)?\s*(?:;|!|$)|max-height\s*:\s*0(?:px)?\s*(?:;|!|$))/i;

export function isHidden(name: string, attributes: Attributes): boolean {
  if (UNSHOWN.has(name) || attributes.has('hidden')) return true;
  return HIDING.test(attributes.get('style') ?? '');
}

/** Classes and ids by which programs mark what an answer quotes. A quotation that its writer made has none. */
const QUOTED =
  /(?:^|\s)(?:gmail_quote|gmail_quote_container|gmail_attr|gmail_extra|yahoo_quoted|protonmail_quote|moz-cite-prefix|moz-email-headers-table|OutlookMessageHeader|zmail_extra|tutanota_quote|ydp[\da-f]+yahoo_quoted)(?=\s|$)/;
const SIGNATURE =
  /(?:^|\s)(?:gmail_signature|moz-signature|protonmail_signature_block|Apple-signature|AppleMailSignature|ms-outlook-mobile-signature|ms-outlook-signature|Signature|signature|ydp[\da-f]+signature|x_Signature)(?=\s|$)/;

export function kindOf(name: string, attributes: Attributes): Pick<ElementMark, 'kind'> {
  const marks = `${attributes.get('class') ?? ''} ${attributes.get('id') ?? ''}`;
  if (name === 'blockquote' && /^cite$/i.test(attributes.get('type') ?? '')) return { kind: 'quoted' };
  if (QUOTED.test(marks)) return { kind: 'quoted' };
  return SIGNATURE.test(marks) ? { kind: 'signature' } : {};
}

/** Marks of Outlook and Zimbra, which quote everything behind them. */
const BEGINS_QUOTE = new Set([
  'appendonsend',
  'divRplyFwdMsg',
  'x_divRplyFwdMsg',
  'mail-editor-reference-message-container',
]);

export function quotesTheRest(name: string, attributes: Attributes): boolean {
  if (BEGINS_QUOTE.has(attributes.get('id') ?? '')) return true;
  return name === 'hr' && attributes.get('data-marker') === '__DIVIDER__';
}

/** Where a link leads, if its words do not say it: an address of the web or of mail, never a script. */
export function linkedAddress(href: string, words: string): string | undefined {
  const address = href.trim().replaceAll(/[\s\p{Cc}]+/gu, '');
  const [, mail] = /^mailto:([^?]+)/i.exec(address) ?? [];
  const shown = mail ?? address;
  if (mail === undefined && !/^(?:https?|tel|ftp):/i.test(address)) return undefined;
  const bare = (text: string): string =>
    text
      .replace(/^(?:https?:\/\/|tel:)/i, '')
      .replace(/\/$/, '')
      .toLowerCase();
  return bare(shown) === bare(words) ? undefined : shown;
}
