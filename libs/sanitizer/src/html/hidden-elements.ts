/** Elements whose text a page does not show. */
const unseen = new Set([
  'script',
  'style',
  'head',
  'template',
  'noscript',
  'noframes',
  'noembed',
  'iframe',
  'object',
  'svg',
  'math',
  'audio',
  'video',
  'canvas',
  'datalist',
  'dialog',
  'title',
]);

const zero = String.raw`0+(?:\.0+)?(?:px|em|rem|ex|pt|%|vw|vh)?`;
const hidingStyle = new RegExp(
  [
    'display:none',
    'visibility:(?:hidden|collapse)',
    'mso-hide:all',
    `opacity:${zero}`,
    `font-size:(?:${zero}|1px)`,
    'color:transparent',
    String.raw`text-indent:-\d{3,}`,
    String.raw`(?:left|right|top|bottom):-\d{3,}`,
    String.raw`margin-(?:left|top):-\d{4,}`,
    String.raw`clip(?:-path)?:(?:rect\(0|inset\((?:50|100)%)`,
    String.raw`transform:scale\(0\)`,
  ]
    .map((rule) => `(?:^|;)${rule}(?=[^.\\d]|$)`)
    .join('|'),
);

const clippedToNothing = new RegExp(`(?:^|;)(?:max-)?(?:height|width):${zero}(?:;|$)`);

/** Whether an element hides its text, as far as the element itself shows: style sheets are not applied. */
export function isHidden(name: string, attributes: Record<string, string>): boolean {
  if (unseen.has(name)) return name !== 'dialog' || !('open' in attributes);
  if ('hidden' in attributes) return true;
  const style = attributes['style'];
  if (style === undefined) return false;
  const rules = withoutComments(style.toLowerCase()).replace(/!important|\s+/g, '');
  return hidingStyle.test(rules) || (/(?:^|;)overflow[^;]*:hidden/.test(rules) && clippedToNothing.test(rules));
}

/** Without a pattern: a pattern would search for the end of every unclosed comment, which takes quadratic time. */
function withoutComments(style: string): string {
  let rules = '';
  let from = 0;
  for (let at = style.indexOf('/*'); at >= 0; at = style.indexOf('/*', from)) {
    rules += style.slice(from, at);
    const end = style.indexOf('*/', at + 2);
    if (end < 0) return rules;
    from = end + 2;
  }
  return rules + style.slice(from);
}
