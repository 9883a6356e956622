import { Skeleton, Stack } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { mcpTexts } from '../../texts/mcp-servers.js';
import { ConnectOutcome } from '../../ui/connect-outcome.js';
import { Page } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { UrlTabs } from '../../ui/url-tabs.js';
import { HealthBadge } from './health-badge.js';
import { ServerActions } from './server-actions.js';
import { ServerConnected } from './server-connected.js';
import { ServerHealth } from './server-health.js';
import { ServerSettings } from './server-settings.js';
import { ServerTools } from './server-tools.js';
import { useDiscovery } from './use-discovery.js';

const route = getRouteApi('/p/$projectId/mcp-servers/$serverId');
const everyMs = 10_000;

export function McpServerPage(): ReactNode {
  const { projectId, serverId } = route.useParams();
  const { tab = 'tools', outcome, flow, code } = route.useSearch();
  const discovery = useDiscovery(serverId);
  const navigate = useNavigate({ from: '/p/$projectId/mcp-servers/$serverId' });
  const {
    data: server,
    error,
    refetch,
  } = useProjectQuery(
    ['mcp-servers', serverId],
    (signal) => answer(api.GET('/api/v1/mcp-servers/{id}', { params: { path: { id: serverId } }, signal })),
    { refetchInterval: everyMs },
  );
  const { tabs } = mcpTexts;
  return (
    <Page
      title={server?.name ?? mcpTexts.title}
      mark={server && <HealthBadge health={server.health} />}
      description={server && <code>{server.url}</code>}
      breadcrumbs={[{ label: mcpTexts.title, to: { to: '/p/$projectId/mcp-servers', params: { projectId } } }]}
      actions={server && <ServerActions id={server.id} discovery={discovery} />}
    >
      {error && !server && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!server && !error && <Skeleton height={420} />}
      {server && (
        <Stack gap="md">
          {outcome && server.auth.credential_id && (
            <ConnectOutcome
              credentialId={server.auth.credential_id}
              outcome={outcome}
              flow={flow}
              code={code}
              onDone={() => void navigate({ search: { tab }, replace: true })}
            />
          )}
          {outcome === 'connected' && <ServerConnected discovery={discovery} />}
          {!discovery.isPending && <ServerHealth server={server} />}
          <UrlTabs
            label={server.name}
            value={tab}
            onChange={(next) => void navigate({ search: { tab: next } })}
            tabs={[
              { value: 'tools', label: tabs.tools, content: <ServerTools serverId={server.id} /> },
              { value: 'settings', label: tabs.settings, content: <ServerSettings server={server} /> },
            ]}
          />
        </Stack>
      )}
    </Page>
  );
}
