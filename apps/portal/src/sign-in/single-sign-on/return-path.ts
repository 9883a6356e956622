const base = 'http://portal.invalid';
/** The console's pages are `/` and those of a project. */
const pages = ['', 'p'];
/** A path that is still encoded after this many rounds is nobody's page. */
const maxRounds = 4;
/** It waits in a cookie, of which a browser keeps 4 KB. */
const maxChars = 2_000;

/**
 * Where a browser goes after signing in: the page of the console that it asked for. Anything else becomes the front
 * page: another site, in any spelling that a browser or a proxy may read as one, and routes of the API.
 */
export function returnPath(wanted: string | undefined): string {
  // Browsers remove tabs and line breaks from a URL, and read a backslash as a slash.
  if (!wanted?.startsWith('/') || wanted.length > maxChars || isUnclear(wanted)) return '/';
  const url = URL.parse(wanted, base);
  // `/.//host` is a path here, and another host when it is read again.
  if (url?.origin !== base || !isPage(url.pathname)) return '/';
  return `${url.pathname}${url.search}${url.hash}`;
}

function isUnclear(text: string): boolean {
  return /[\\\p{Cc}]/u.test(text);
}

function isPage(path: string): boolean {
  let shown = path;
  for (let round = 0; round < maxRounds; round += 1) {
    const segments = shown.split('/').slice(1);
    if (isUnclear(shown) || shown.startsWith('//') || segments.some((each) => each === '.' || each === '..'))
      return false;
    if (!pages.includes(segments[0] ?? '')) return false;
    const decoded = decodedOrNull(shown);
    // A name may contain `%` itself, which is no encoding once its own has been removed.
    if (decoded === null) return round > 0;
    if (decoded === shown) return true;
    shown = decoded;
  }
  return false;
}

function decodedOrNull(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
