// The API: each route with its scopes and purpose, by resource and by the service that owns it.
import { describedApi } from './openapi.mjs';
import { head, row } from './sources.mjs';

/** @typedef {{operationId?: string, summary?: string, tags?: string[], security?: Record<string, string[]>[]}} Operation */

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** @returns {Promise<string>} the page */
export async function apiPage() {
  const { services, document } = await describedApi();
  const owners = new Map();
  for (const [service, { paths = {} }] of services) for (const path of Object.keys(paths)) owners.set(path, service);
  /** @type {Map<string, {path: string, method: string, operation: Operation}[]>} */
  const byResource = new Map();
  const { paths } = /** @type {{paths: Record<string, Record<string, Operation>>}} */ (document);
  for (const [path, item] of Object.entries(paths)) {
    for (const method of methods) {
      const operation = item[method];
      if (!operation) continue;
      const resource = operation.tags?.[0] ?? path.split('/')[3] ?? '';
      byResource.set(resource, [...(byResource.get(resource) ?? []), { path, method, operation }]);
    }
  }
  const parts = [...byResource]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([resource, routes]) => {
      const served = [...new Set(routes.map(({ path }) => owners.get(path) ?? 'webhook-ingress'))];
      return [
        `## ${resource}`,
        '',
        `Served by ${served.join(', ')}.`,
        '',
        head('Route', 'Scopes', 'Does', 'Operation'),
        ...routes.map(({ path, method, operation }) =>
          row(
            `\`${method.toUpperCase()} ${path.replace('/api/v1', '')}\``,
            scopesOf(operation),
            operation.summary ?? '',
            operation.operationId ? `\`${operation.operationId}\`` : '',
          ),
        ),
      ].join('\n');
    });
  return [
    '# The API',
    '',
    'Everything below `/api/v1` of the portal. With fields, answers and errors: `GET /api/v1/openapi.json` of an installation.',
    'Rules that all routes share (keys, pages, errors, `ETag`, `Idempotency-Key`): [HTTP](../http.md#the-management-api).',
    '',
    'A scope `<resource>:write` includes `<resource>:read`; `admin` includes all but `approvals:manage`.',
    'Of several scopes all are needed. `open`: anyone may call it.',
    '',
    ...parts.flatMap((part) => [part, '']),
  ].join('\n');
}

/** @param {Operation} operation */
function scopesOf({ security }) {
  if (!security) return 'any key';
  if (security.every((each) => Object.keys(each).length === 0)) return 'open';
  const scopes = [...new Set(security.flatMap((each) => Object.values(each).flat()))];
  return scopes.length > 0 ? scopes.map((scope) => `\`${scope}\``).join(', ') : 'any key';
}
