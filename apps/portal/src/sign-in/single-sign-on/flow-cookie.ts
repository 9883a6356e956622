import { readCookie } from '#libs/service-kit';
import { createHash } from 'node:crypto';
import type { Flow } from './issuer.js';

const lifetimeSeconds = 600;

/**
 * Binds a sign-in to the browser that started it. Its secrets are only in a cookie of that browser, so an answer that
 * somebody else obtained signs nobody in. Each sign-in has its own cookie, so that concurrent ones do not overwrite
 * each other.
 */
export function flowCookie(publicUrl: string, flow: Flow): string {
  const value = Buffer.from(JSON.stringify(flow)).toString('base64url');
  return written(publicUrl, flow.state, value, lifetimeSeconds);
}

export function noFlowCookie(publicUrl: string, state: string): string {
  return written(publicUrl, state, '', 0);
}

/** @returns null when this browser started no sign-in with this state, or started it too long ago */
export function flowOf(publicUrl: string, cookies: string | undefined, state: string): Flow | null {
  const value = readCookie(cookies, nameOf(publicUrl, state));
  if (!value) return null;
  try {
    const flow: unknown = JSON.parse(Buffer.from(value, 'base64url').toString());
    return isFlow(flow) && flow.state === state ? flow : null;
  } catch {
    return null;
  }
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

function isFlow(value: unknown): value is Flow {
  if (typeof value !== 'object' || value === null) return false;
  const fields: unknown[] = ['state', 'nonce', 'verifier', 'returnTo'].map((name) => Reflect.get(value, name));
  return fields.every((field) => typeof field === 'string');
}
