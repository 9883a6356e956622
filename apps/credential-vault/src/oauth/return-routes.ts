import type { OauthFlow } from './oauth-flow.entity.js';

/** Where a browser may be sent after a callback: a key of this list, never a URL of a request. */
export const returnRoutes = ['done', 'credentials', 'credential'] as const;
export type ReturnRoute = (typeof returnRoutes)[number];

/** @returns the console's page; null for the page that says it is done and offers nothing else */
export function returnUrl(publicUrl: string, flow: OauthFlow, outcome: Record<string, string>): string | null {
  const credentials = `${publicUrl}/p/${flow.project_id}/credentials`;
  const pages: Record<string, string> = { credentials, credential: `${credentials}/${flow.credential_id}` };
  const page = pages[flow.return_to];
  return page === undefined ? null : `${page}?${new URLSearchParams(outcome)}`;
}
