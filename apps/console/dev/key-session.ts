import type { Plugin } from 'vite';
import { env } from '../env.ts';

interface Named {
  id: string;
  name: string;
}

/**
 * With an API key instead of a person, the development server answers the session requests that the portal would
 * answer.
 */
export function keySession(): Plugin {
  return {
    name: 'key-session',
    apply: 'serve',
    configureServer(server) {
      if (!env.apiKey) return;
      server.middlewares.use('/api/v1/session', (_request, response) => {
        void session().then((view) => {
          response.setHeader('content-type', 'application/json');
          response.end(JSON.stringify(view));
        });
      });
    },
  };
}

async function session(): Promise<object> {
  const organization = await ask<Named>('organizations/current');
  const { data: projects } = await ask<{ data: Named[] }>('projects');
  return {
    member: { id: 'mem_key', name: 'API key', email: 'key@localhost', role: 'owner' },
    organization,
    organizations: [{ ...organization, role: 'owner' }],
    projects,
    scopes: ['admin', 'approvals:decide', 'approvals:manage', 'audit:read', 'events:read_body'],
    csrf_token: 'none',
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  };
}

async function ask<Answer>(path: string): Promise<Answer> {
  const response = await fetch(`${env.systemUrl}/api/v1/${path}`, {
    headers: { authorization: `Bearer ${env.apiKey}` },
  });
  return (await response.json()) as Answer;
}
