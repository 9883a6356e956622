import { Badge, Group } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Bot, Plus, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { useAgents } from '../../api/choices.js';
import type { Schema } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { firstOfDays, usageDays, useUsage } from '../../api/usage.js';
import { agentTexts } from '../../texts/agents.js';
import { ActionButton } from '../../ui/action-button.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { useReason } from '../../ui/editable.js';
import { FilterBar, FilterText } from '../../ui/filter-bar.js';
import { Unread } from '../../ui/name-of.js';
import { EmptyState } from '../../ui/notices.js';
import { Page } from '../../ui/page.js';
import { NewAgent } from './new-agent.js';

const route = getRouteApi('/p/$projectId/agents');

export function AgentsPage(): ReactNode {
  const { name, create } = route.useSearch();
  const projectId = useProjectId();
  const navigate = useNavigate({ from: '/p/$projectId/agents' });
  const reason = useReason('agents:write');
  const agents = useAgents();
  const columns = useColumns();
  const rows = (agents.data ?? [])
    .filter((row) => row.name.toLowerCase().includes((name ?? '').toLowerCase()))
    .toSorted((a, b) => Number(b.is_chief_of_staff) - Number(a.is_chief_of_staff));
  return (
    <Page
      title={agentTexts.title}
      description={agentTexts.description}
      actions={
        <ActionButton
          leftSection={<Plus size={15} aria-hidden />}
          reason={reason}
          onClick={() => void navigate({ search: (before) => ({ ...before, create: true }) })}
        >
          {agentTexts.create}
        </ActionButton>
      }
    >
      <FilterBar filtered={name !== undefined} onClear={() => void navigate({ search: {}, replace: true })}>
        <FilterText
          label={agentTexts.filters.name}
          value={name}
          onChange={(next) => void navigate({ search: next ? { name: next } : {}, replace: true })}
        />
      </FilterBar>
      <DataTable
        label={agentTexts.title}
        columns={columns}
        list={{ rows, loading: agents.isPending, error: agents.error, refresh: () => void agents.refetch() }}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({ to: '/p/$projectId/agents/$agentId', params: { projectId, agentId: id } })}
        empty={
          name ? (
            <EmptyState icon={SearchX} {...agentTexts.emptyFiltered} />
          ) : (
            <EmptyState icon={Bot} {...agentTexts.empty} />
          )
        }
      />
      <NewAgent
        opened={create === true && reason === null}
        onClose={() => void navigate({ search: name ? { name } : {}, replace: true })}
      />
    </Page>
  );
}

function useColumns(): Column<Schema<'AgentView'>>[] {
  const { data: usage, error } = useUsage(firstOfDays(usageDays), 'agent');
  const texts = agentTexts.columns;
  const usedBy = (id: string): ReactNode => {
    if (!usage) return error ? null : <Unread />;
    const used = usage.rows.find(({ agent_id }) => agent_id === id);
    return used ? agentTexts.tokens(used.input_tokens + used.output_tokens) : agentTexts.unused;
  };
  return [
    {
      id: 'name',
      value: ({ name }) => name,
      label: texts.name,
      width: 'minmax(0, 2fr)',
      cell: ({ name, is_chief_of_staff }) => (
        <Group gap={8} wrap="nowrap" component="span">
          {name}
          {is_chief_of_staff && (
            <Badge component="span" variant="default" radius="sm" tt="none" fw={500}>
              {agentTexts.chiefOfStaff}
            </Badge>
          )}
        </Group>
      ),
    },
    {
      id: 'model',
      label: texts.model,
      value: ({ model }) => model,
      cell: ({ model }) => model ?? agentTexts.defaultModel,
      hideOnPhone: true,
    },
    { id: 'mayDo', label: texts.mayDo, width: '120px', cell: ({ may_do }) => agentTexts.powers.grades[may_do] },
    {
      id: 'tools',
      label: texts.tools,
      cell: ({ skills, tools, python_tools }) => agentTexts.has(skills.length, tools.length + python_tools.length),
    },
    { id: 'used', label: texts.used, width: '130px', cell: ({ id }) => usedBy(id), hideOnPhone: true },
  ];
}
