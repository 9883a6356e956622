/** Where a browser may be sent after a callback: a key of this list, never a URL of a request. */
export const returnRoutes = ['done', 'credentials', 'credential'] as const;
export type ReturnRoute = (typeof returnRoutes)[number];

/** @returns null for the page that says it is done and offers nothing else */
export function returnUrl(
  publicUrl: string,
  route: string,
  credentialId: string,
  outcome: Record<string, string>,
): string | null {
  const paths: Record<string, string> = { credentials: '/credentials', credential: `/credentials/${credentialId}` };
  const path = paths[route];
  return path === undefined ? null : `${publicUrl}${path}?${new URLSearchParams(outcome)}`;
}
