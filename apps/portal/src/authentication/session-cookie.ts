import { readCookie } from '#libs/service-kit';

const plainName = 'gatehouse_session';

/** The prefix requires Secure, and browsers drop Secure cookies over http. */
function nameOf(publicUrl: string): string {
  return `${isSecure(publicUrl) ? '__Host-' : ''}${plainName}`;
}

/**
 * `Set-Cookie` of a session. It is Lax, so that a link from elsewhere opens the console signed in.
 * @param value null deletes the cookie
 */
export function sessionCookie(publicUrl: string, value: string | null, maxAgeSeconds = 0): string {
  const secure = isSecure(publicUrl) ? '; Secure' : '';
  return `${nameOf(publicUrl)}=${value ?? ''}; Path=/; Max-Age=${value ? maxAgeSeconds : 0}; HttpOnly; SameSite=Lax${secure}`;
}

export function sessionTokenOf(cookies: string | undefined, publicUrl: string): string | undefined {
  return readCookie(cookies, nameOf(publicUrl)) || undefined;
}

/** The part of a `Cookie` header that other services may see; undefined: nothing is left. */
export function withoutSession(cookies: string | undefined, publicUrl: string): string | undefined {
  const name = nameOf(publicUrl);
  const kept = (cookies ?? '').split(';').filter((pair) => pair.split('=')[0]?.trim() !== name);
  return kept.join(';').trim() || undefined;
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}
