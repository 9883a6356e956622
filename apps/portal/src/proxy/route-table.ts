import type { Audience } from '#libs/service-kit';

export interface UpstreamUrls {
  INGRESS_URL: string;
  GATEWAY_URL: string;
  VAULT_URL: string;
  ROUTER_URL: string;
  ENGINE_URL: string;
  MCP_REGISTRY_URL: string;
}

interface Upstream {
  audience: Audience;
  urlSetting: keyof UpstreamUrls;
  /** Its resources: the first path segments below `/api/v1/`. */
  resources: readonly string[];
  /** Its protocols for other systems' agents, beside the API: the first path segments. */
  protocols?: readonly string[];
}

/** Which service answers which part of the management API. The portal answers the rest itself. */
export const upstreams: readonly Upstream[] = [
  {
    audience: 'adapter-gateway',
    urlSetting: 'GATEWAY_URL',
    resources: ['apps', 'adapters', 'listings', 'deliveries', 'sources', 'web-chat'],
  },
  {
    audience: 'router',
    urlSetting: 'ROUTER_URL',
    resources: [
      'workflows',
      'triggers',
      'event-waits',
      'schedules',
      'events',
      'channels',
      'contacts',
      'held-messages',
      'problems',
      'statistics',
    ],
  },
  { audience: 'webhook-ingress', urlSetting: 'INGRESS_URL', resources: ['refusals'] },
  {
    audience: 'engine',
    urlSetting: 'ENGINE_URL',
    resources: [
      'agents',
      'sessions',
      'canned-answers',
      'runs',
      'turns',
      'approvals',
      'open-calls',
      'questions',
      'knowledge',
      'memories',
      'usage',
      'model',
      'providers',
    ],
    protocols: ['a2a', 'mcp'],
  },
  { audience: 'mcp-registry', urlSetting: 'MCP_REGISTRY_URL', resources: ['mcp-servers', 'tools', 'skills'] },
  { audience: 'credential-vault', urlSetting: 'VAULT_URL', resources: ['credentials', 'oauth', 'key-rotation'] },
];

/** The portal's own protocol: an MCP server for operators' assistants, beside that of the engine. */
export const operationsMcp = '/mcp/operations';

/** @param route a route's pattern (`/api/v1/apps/*`) */
export function audienceOf(route: string): Audience {
  if (route === operationsMcp) return 'portal';
  const protocol = protocolOf(route);
  if (protocol) return protocol.audience;
  const resource = resourceOf(route);
  return upstreams.find(({ resources }) => resources.includes(resource))?.audience ?? 'portal';
}

/** Another installation proves itself there with a key of its own. */
export const handedOnRoute = '/api/v1/moves/:id/receipts';

/**
 * Webhooks are authenticated at the ingress, by token and signature, and the pages of web chats at the gateway, by origin
 * and visitor. The API's description is public, and nobody is
 * signed in yet at sign-in.
 */
export function isPublic(route: string): boolean {
  return ['webhooks', 'web-chat', 'openapi.json', 'sign-in'].includes(resourceOf(route)) || route === handedOnRoute;
}

/**
 * Programs call these with a key only: a session's cookie counts for nothing there. Without a key the service decides what
 * it answers, as what agents publish is public.
 */
export function isProtocol(route: string): boolean {
  return protocolOf(route) !== undefined;
}

function protocolOf(route: string): Upstream | undefined {
  const [, first = ''] = route.split('/');
  return upstreams.find(({ protocols = [] }) => protocols.includes(first));
}

export function isWebhook(route: string): boolean {
  return resourceOf(route) === 'webhooks';
}

/**
 * Where providers and links send browsers, signed in or not. The vault checks the browser's own cookie, and the user if
 * there is one; the engine the token of a question's link.
 */
export function isOpen(route: string): boolean {
  return ['oauth', 'questions'].includes(resourceOf(route));
}

function resourceOf(route: string): string {
  return route.split('/')[3] ?? '';
}
