/** Where to go after signing in: a path of this console, never another site. */
export function localPath(path: string | undefined): string {
  if (!path?.startsWith('/')) return '/';
  const url = new URL(path, window.location.origin);
  return url.origin === window.location.origin ? `${url.pathname}${url.search}` : '/';
}
