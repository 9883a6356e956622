/** A path of the portal's own; whatever leads elsewhere becomes the front page. */
export function returnPath(wanted: string | undefined): string {
  if (wanted === undefined || !wanted.startsWith('/')) return '/';
  const base = 'http://portal.invalid';
  if (!URL.canParse(wanted, base)) return '/';
  const url = new URL(wanted, base);
  // `//host` and `/\host` are other hosts to a browser.
  return url.origin === base ? `${url.pathname}${url.search}${url.hash}` : '/';
}
