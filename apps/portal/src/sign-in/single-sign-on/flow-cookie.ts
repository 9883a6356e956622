import { readCookie } from '#libs/service-kit';
import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Flow } from './issuer.js';
import type { OidcSettings } from './oidc-settings.js';

type CookieSettings = Pick<OidcSettings, 'PUBLIC_URL' | 'GATEHOUSE_SERVICE_KEY'>;

const lifetimeSeconds = 600;

/**
 * Binds a sign-in to the browser that started it. Its secrets are only in a cookie of that browser, so an answer that
 * somebody else obtained signs nobody in. Each sign-in has its own cookie, so that concurrent ones do not overwrite
 * each other. It is signed: one that nobody was given here costs the issuer no request.
 */
export function flowCookie({ PUBLIC_URL: publicUrl, GATEHOUSE_SERVICE_KEY: keys }: CookieSettings, flow: Flow): string {
  const until = Date.now() + lifetimeSeconds * 1_000;
  const value = Buffer.from(JSON.stringify({ ...flow, until })).toString('base64url');
  return written(publicUrl, flow.state, `${value}.${signaturesOf(value, keys)[0]}`, lifetimeSeconds);
}

export function noFlowCookie(publicUrl: string, state: string): string {
  return written(publicUrl, state, '', 0);
}

/** @returns null when this browser started no sign-in with this state, or started it too long ago */
export function flowOf(settings: CookieSettings, cookies: string | undefined, state: string): Flow | null {
  const { PUBLIC_URL: publicUrl, GATEHOUSE_SERVICE_KEY: keys } = settings;
  const [value = '', signature = ''] = readCookie(cookies, nameOf(publicUrl, state))?.split('.') ?? [];
  if (!signaturesOf(value, keys).some((valid) => isEqual(valid, signature))) return null;
  try {
    const flow: unknown = JSON.parse(Buffer.from(value, 'base64url').toString());
    return isFlow(flow) && flow.state === state && flow.until > Date.now() ? flow : null;
  } catch {
    return null;
  }
}

/** By each of the portal's own keys, the first one first: after a rotation, sign-ins that were begun before still end. */
function signaturesOf(value: string, keys: CookieSettings['GATEHOUSE_SERVICE_KEY']): string[] {
  return [keys].flat().map(({ d = '' }) => {
    const key = Buffer.from(hkdfSync('sha256', d, '', 'single sign-on flow', 32));
    return createHmac('sha256', key).update(value).digest('base64url');
  });
}

function isEqual(valid: string, given: string): boolean {
  const [a, b] = [Buffer.from(valid), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function written(publicUrl: string, state: string, value: string, maxAgeSeconds: number): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${nameOf(publicUrl, state)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** The prefix, which requires https, prevents other hosts of the domain from setting it. */
function nameOf(publicUrl: string, state: string): string {
  const digest = createHash('sha256').update(state).digest('hex').slice(0, 16);
  return `${publicUrl.startsWith('https:') ? '__Host-' : ''}gatehouse_sign_in_${digest}`;
}

function isFlow(value: unknown): value is Flow & { until: number } {
  if (typeof value !== 'object' || value === null) return false;
  const fields: unknown[] = ['state', 'nonce', 'verifier', 'returnTo'].map((name) => Reflect.get(value, name));
  return fields.every((field) => typeof field === 'string') && typeof Reflect.get(value, 'until') === 'number';
}
