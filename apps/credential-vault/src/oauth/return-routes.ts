import type { OauthFlow } from '../oauth-flows/oauth-flow.entity.js';

/** Where a browser may be sent after a callback: a key of this list, never a URL from a request. */
export const returnRoutes = ['done', 'credentials', 'credential', 'consumer'] as const;
export type ReturnRoute = (typeof returnRoutes)[number];

/** @returns a page of the console; null: a plain page that reports completion */
export function returnUrl(publicUrl: string, flow: OauthFlow, outcome: Record<string, string>): string | null {
  const project = `${publicUrl}/p/${flow.project_id}`;
  const credentials = `${project}/credentials`;
  const credential = `${credentials}/${flow.credential_id}`;
  const server = /^mcp_server:(.+)$/.exec(flow.credential.managed_for ?? '')?.[1];
  const consumer = server === undefined ? credential : `${project}/mcp-servers/${server}`;
  const pages: Record<string, string> = { credentials, credential, consumer };
  const page = pages[flow.return_to];
  return page === undefined ? null : `${page}?${new URLSearchParams(outcome).toString()}`;
}
