import { Skeleton, Stack, Text } from '@mantine/core';
import { History, PhoneCall } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { usePrincipalName } from '../../api/principals.js';
import { useCursorList, useProjectId, useProjectQuery } from '../../api/project-query.js';
import { toolTexts } from '../../texts/tools.js';
import { toolWords } from '../../texts/ui.js';
import { CopyText } from '../../ui/copy.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { DiffView } from '../../ui/diff-view.js';
import { Facts } from '../../ui/facts.js';
import { JsonView } from '../../ui/json-view.js';
import { TextLink } from '../../ui/links.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { ToolGrade } from './tool-grade.js';

const detailTexts = toolTexts.one;

/** What a tool is, and its arguments. */
export function ToolDetails({ tool }: { tool: Schema<'ToolView'> }): ReactNode {
  const projectId = useProjectId();
  const { server_id: serverId } = tool;
  return (
    <Stack gap="md">
      <Section title={detailTexts.details}>
        <Facts
          of={[
            [detailTexts.name, <code>{tool.name}</code>],
            [detailTexts.source, toolWords.sources[tool.source]],
            [
              detailTexts.server,
              serverId && (
                <TextLink to={{ to: '/p/$projectId/mcp-servers/$serverId', params: { projectId, serverId } }}>
                  {serverId}
                </TextLink>
              ),
            ],
            [detailTexts.credentials, tool.credentials.join(', ')],
            [detailTexts.pin, tool.pin && <CopyText text={tool.pin} />],
            [detailTexts.problem, tool.problem],
          ]}
        />
      </Section>
      {tool.source !== 'builtin' && <ToolGrade tool={tool} />}
      <Section title={detailTexts.schema}>
        {tool.input_schema ? (
          <JsonView label={detailTexts.schema} value={tool.input_schema} depth={3} />
        ) : (
          <Text c="dimmed">{detailTexts.noArguments}</Text>
        )}
      </Section>
    </Stack>
  );
}

const versionTexts = toolTexts.versions;

/** Earlier definitions, newest first, each with what it changed. */
export function ToolVersions({ tool }: { tool: Schema<'ToolView'> }): ReactNode {
  const nameOf = usePrincipalName();
  const { data, error, refetch } = useProjectQuery(['tools', tool.id, 'versions'], (signal) =>
    answer(api.GET('/api/v1/tools/{id}/versions', { params: { path: { id: tool.id } }, signal })),
  );
  if (error && !data) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={200} />;
  if (data.data.length === 0) return <EmptyState icon={History} {...versionTexts.empty} />;
  return (
    <Stack gap="md">
      {data.data.map(({ number, pin, definition, approved_by, approved_at }, index) => {
        const before = data.data[index + 1];
        return (
          <Section
            key={number}
            title={versionTexts.number(number)}
            actions={
              <Text size="sm" c="dimmed" component="span">
                {pin === tool.pin && <StatusBadge status="active" label={versionTexts.current} />}{' '}
                <When at={approved_at} /> {versionTexts.by(nameOf(approved_by))}
              </Text>
            }
          >
            {before ? (
              <DiffView label={versionTexts.difference} before={before.definition} after={definition} />
            ) : (
              <Text c="dimmed">{versionTexts.first}</Text>
            )}
          </Section>
        );
      })}
    </Stack>
  );
}

const callTexts = toolTexts.calls;
const pageSize = 50;
const everyMs = 5_000;

/** Who called a tool, and how it ended. */
export function ToolCalls({ toolId }: { toolId: string }): ReactNode {
  const list = useCursorList(
    ['tools', toolId, 'calls'],
    (cursor, signal) => {
      const params = { path: { id: toolId }, query: { limit: pageSize, cursor } };
      return answer(api.GET('/api/v1/tools/{id}/calls', { params, signal }));
    },
    { refetchInterval: everyMs },
  );
  return (
    <DataTable
      label={toolTexts.tabs.calls}
      columns={columns}
      list={list}
      rowKey={({ id }) => id}
      empty={<EmptyState icon={PhoneCall} {...callTexts.empty} />}
    />
  );
}

const columns: Column<Schema<'CallOfToolView'>>[] = [
  {
    id: 'caller',
    label: callTexts.columns.caller,
    width: 'minmax(0, 2fr)',
    cell: ({ caller }) => <code>{caller}</code>,
  },
  {
    id: 'outcome',
    label: callTexts.columns.outcome,
    cell: ({ outcome }) => (
      <StatusBadge status={outcome} tone={['ok', 'started'].includes(outcome) ? undefined : 'bad'} />
    ),
  },
  { id: 'took', label: callTexts.columns.took, width: '100px', cell: ({ duration_ms }) => callTexts.took(duration_ms) },
  { id: 'at', label: callTexts.columns.at, width: '110px', cell: ({ at }) => <When at={at} relative /> },
];
