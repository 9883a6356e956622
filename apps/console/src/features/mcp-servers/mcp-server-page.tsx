import { Alert, Group, Skeleton, Stack, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { ConnectOutcome, useConnect } from '../../ui/connect-outcome.js';
import { mcpTexts } from '../../texts/mcp-servers.js';
import { ActionButton } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { Page } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/notices.js';
import { When } from '../../ui/when.js';
import { UrlTabs } from '../../ui/url-tabs.js';
import { type Discovery, HealthBadge, ServerActions, useDiscovery } from './server-actions.js';
import { ServerSettings } from './server-settings.js';
import { ServerTools } from './server-tools.js';

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

/** Lists the tools of a server right after its account was connected: nobody could list them before. */
function ServerConnected({ discovery }: { discovery: Discovery }): ReactNode {
  const may = useScope('tools:write');
  const { mutate, isPending } = discovery;
  useEffect(() => {
    if (may) mutate();
  }, [may, mutate]);
  return (
    isPending && (
      <Text c="dimmed" role="status">
        {mcpTexts.looking}
      </Text>
    )
  );
}

/** Why a server is not healthy. One that requires consent is connected from here. */
function ServerHealth({ server }: { server: Schema<'ServerView'> }): ReactNode {
  const reason = useReason('credentials:write');
  const { health, health_reason: why, auth, checked_at: checked, next_listing_at: next } = server;
  const credentialId = auth.mode === 'oauth' && health === 'auth_failed' ? auth.credential_id : null;
  const connect = useConnect('consumer');
  if (health === 'reachable') return null;
  return (
    <Alert
      variant="light"
      color={health === 'auth_failed' ? 'red' : 'yellow'}
      icon={<TriangleAlert size={18} aria-hidden />}
    >
      <Text style={{ overflowWrap: 'anywhere' }}>{why ?? mcpTexts.health[health]}</Text>
      <Text size="sm" mt={4}>
        {mcpTexts.whatToDo[health]} {mcpTexts.checked} <When at={checked} relative />
        {next && (
          <>
            , {mcpTexts.nextListing.toLowerCase()} <When at={next} relative />
          </>
        )}
        .
      </Text>
      {credentialId && (
        <>
          <Text size="sm" mt={4}>
            {mcpTexts.connectHint}
          </Text>
          <Group mt="sm">
            <ActionButton reason={reason} loading={connect.isPending} onClick={() => connect.mutate(credentialId)}>
              {mcpTexts.connect}
            </ActionButton>
          </Group>
          <ProblemAlert error={connect.error} />
        </>
      )}
    </Alert>
  );
}
