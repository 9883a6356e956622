import { DataSource } from 'typeorm';
import { OwnerLinkRepository } from '../bootstrap/owner-link.repository.js';
import type { PortalWorld } from './portal-world.js';
import { type Answer, send } from './send.js';

/** A signed-in browser: it keeps the cookie and sends the CSRF token. */
export interface Browser {
  cookie: string;
  session: Answer['body'];
  call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Answer>;
}

export const tokenOf = (link: string): string => new URL(link).hash.replace('#token=', '');

export function signInAnswer(portal: PortalWorld, link: string): Promise<Response> {
  const body = JSON.stringify({ token: tokenOf(link) });
  const headers = { 'content-type': 'application/json', 'user-agent': 'A browser' };
  return fetch(`${portal.url}/api/v1/sign-in/link`, { method: 'POST', body, headers });
}

export async function signIn(portal: PortalWorld, link: string): Promise<Browser> {
  const answer = await signInAnswer(portal, link);
  const text = await answer.text();
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  if (!answer.ok) throw new Error(`not signed in: ${text}`);
  const session = JSON.parse(text) as Answer['body'];
  return {
    cookie,
    session,
    call: (method, path, body, headers) =>
      send(`${portal.url}/api/v1${path}`, null, {
        method,
        ...(body ? { body: JSON.stringify(body) } : {}),
        headers: {
          cookie,
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...(method === 'GET' ? {} : { origin: portal.url, 'x-csrf-token': session.csrf_token }),
          ...headers,
        },
      }),
  };
}

/** The link that `npm start` prints. */
export async function linkOfOwner(portal: PortalWorld): Promise<string> {
  const settings = { PUBLIC_URL: portal.url, SIGN_IN_LINK_SECONDS: 600 };
  const links = new OwnerLinkRepository(portal.app.get(DataSource));
  return (await links.make(portal.tenant.organizationId, settings)).sign_in_link;
}
