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
