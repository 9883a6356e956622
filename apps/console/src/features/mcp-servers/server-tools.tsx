import { Skeleton, Stack, Text } from '@mantine/core';
import { Wrench } from 'lucide-react';
import type { ReactNode } from 'react';
import { useProjectId } from '../../api/project-query.js';
import { useTools } from '../../api/choices.js';
import type { Schema } from '../../api/client.js';
import { mcpTexts } from '../../texts/mcp-servers.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { GradeBadge, ToolStateBadge } from '../../ui/status-badge.js';
import { Section } from '../../ui/page.js';
import { TextLink } from '../../ui/links.js';
import { ToolReview } from '../../ui/tool-review.js';
import { OpenCalls } from './open-calls.js';

/** Discovery by schedule may find changes. */
const everyMs = 10_000;

/** First what waits for approval, with its differences; then every tool. */
export function ServerTools({ serverId }: { serverId: string }): ReactNode {
  const projectId = useProjectId();
  const { data, error, isPending, refetch } = useTools({ refetchInterval: everyMs });
  if (error && !data) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton height={240} />;
  const tools = data?.filter(({ server_id }) => server_id === serverId) ?? [];
  const waiting = tools.filter(({ candidate_pin }) => candidate_pin !== null);
  return (
    <Stack gap="md">
      <OpenCalls serverId={serverId} />
      {waiting.length > 0 && (
        <Text c="dimmed">
          {mcpTexts.waiting}. {mcpTexts.waitingHint}
        </Text>
      )}
      {waiting.map((tool) => (
        <Section
          key={tool.id}
          title={tool.name}
          actions={
            <span>
              <ToolStateBadge state={tool.state} />{' '}
              <TextLink size="sm" to={{ to: '/p/$projectId/tools/$toolId', params: { projectId, toolId: tool.id } }}>
                {mcpTexts.openTool}
              </TextLink>
            </span>
          }
        >
          <ToolReview tool={tool} />
        </Section>
      ))}
      <DataTable
        label={mcpTexts.tools}
        columns={columns}
        list={{ rows: tools, loading: false, error: null }}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({ to: '/p/$projectId/tools/$toolId', params: { projectId, toolId: id } })}
        empty={<EmptyState icon={Wrench} {...mcpTexts.noTools} />}
      />
    </Stack>
  );
}

const { toolColumns: names } = mcpTexts;
const columns: Column<Schema<'ToolView'>>[] = [
  { id: 'name', label: names.name, width: 'minmax(0, 1.2fr)', cell: ({ name }) => <code>{name}</code> },
  {
    id: 'description',
    label: names.description,
    width: 'minmax(0, 2.4fr)',
    cell: ({ description }) => description,
    hideOnPhone: true,
  },
  { id: 'grade', label: names.grade, width: '90px', cell: ({ grade }) => <GradeBadge grade={grade} /> },
  { id: 'state', label: names.state, width: '120px', cell: ({ state }) => <ToolStateBadge state={state} /> },
];
