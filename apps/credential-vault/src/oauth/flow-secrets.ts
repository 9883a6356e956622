import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 32 random bytes as text: a state, a browser's cookie, a link's token. Only the digest is stored. */
export function newFlowSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export function isDigestOf(digest: Buffer, secret: string | undefined): boolean {
  return secret !== undefined && timingSafeEqual(digest, digestOf(secret));
}

/** One cookie per flow, so that two connections in one browser at the same time do not interfere. */
export function cookieName(publicUrl: string, flowId: string): string {
  // The prefix requires Secure, and browsers do not keep Secure cookies over http.
  return `${publicUrl.startsWith('https:') ? '__Host-' : ''}gatehouse-oauth-${flowId.slice(-16)}`;
}

/** `Set-Cookie` that binds a flow to the browser. Lax, since the browser returns by a link of the provider. */
export function bindingCookie(publicUrl: string, flowId: string, value: string, maxAgeSeconds: number): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${cookieName(publicUrl, flowId)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}
