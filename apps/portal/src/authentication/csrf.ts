import { Problem } from '#libs/service-kit';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A page of the portal's own origin reads this from its session and sends it with every change. It derives from the
 * cookie's 256 random bits.
 */
export function csrfTokenOf(sessionToken: string): string {
  return createHash('sha256').update(`csrf ${sessionToken}`).digest('base64url');
}

/**
 * Browsers attach the cookie to requests of other sites too. So a change must come from a page of the portal, with a
 * token that only such a page can read.
 * @throws Problem 403 `csrf_refused`
 */
export function refuseForgery(
  method: string,
  headers: IncomingHttpHeaders,
  sessionToken: string,
  publicUrl: string,
): void {
  if (safeMethods.has(method)) return;
  if (originOf(headers, publicUrl) !== 'own') {
    throw refused(
      'The request does not come from a page of this portal: the Origin header must be the origin of the portal.',
    );
  }
  const shown = Buffer.from(String(headers['x-csrf-token'] ?? ''));
  const wanted = Buffer.from(csrfTokenOf(sessionToken));
  if (shown.length !== wanted.length || !timingSafeEqual(shown, wanted)) {
    throw refused('Send X-CSRF-Token: the csrf_token of GET /api/v1/session.');
  }
}

/**
 * Checks a sign-in, which has no session yet: no other site may sign its visitor in as somebody else.
 * @throws Problem 403 `csrf_refused`
 */
export function refuseForeignOrigin(headers: IncomingHttpHeaders, publicUrl: string): void {
  if (originOf(headers, publicUrl) === 'foreign') throw refused('The request comes from a page of another origin.');
}

/** `unsaid`: no browser, or one that does not say. A proxy may change Host, so the public address counts as own too. */
function originOf(headers: IncomingHttpHeaders, publicUrl: string): 'own' | 'foreign' | 'unsaid' {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' ? 'own' : 'foreign';
  const { origin } = headers;
  if (origin === undefined) return 'unsaid';
  if (origin === new URL(publicUrl).origin) return 'own';
  return URL.canParse(origin) && new URL(origin).host === headers.host ? 'own' : 'foreign';
}

function refused(detail: string): Problem {
  return new Problem(403, 'csrf_refused', detail);
}
