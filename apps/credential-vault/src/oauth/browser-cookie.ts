/** One cookie for each flow, so that two connections at a time in one browser do not undo each other. */
export function cookieName(publicUrl: string, flowId: string): string {
  // The prefix needs Secure, which browsers do not keep over http.
  return `${publicUrl.startsWith('https:') ? '__Host-' : ''}gatehouse-oauth-${flowId.slice(-16)}`;
}

/** `Set-Cookie` that binds a flow to the browser; Lax, since the provider sends the browser back by a link of its own. */
export function bindingCookie(publicUrl: string, flowId: string, value: string, maxAgeSeconds: number): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${cookieName(publicUrl, flowId)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** The value of a cookie of a `Cookie` header (RFC 6265 section 5.4). */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
