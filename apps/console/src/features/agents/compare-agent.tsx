import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { Scale } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { usePrincipalName } from '../../api/principals.js';
import { useCursorList, useProjectQuery } from '../../api/project-query.js';
import { comparisonTexts as texts } from '../../texts/comparisons.js';
import { TextLink } from '../../ui/links.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { CaseSets } from './case-sets.js';
import { ComparisonDetail } from './comparison-detail.js';
import { NewComparison } from './new-comparison.js';

const route = getRouteApi('/p/$projectId/agents/$agentId');
const pageSize = 20;
const everyMs = 2_000;

/** Two versions of an agent on the same earlier messages: a new comparison and earlier ones, or the one that is open. */
export function CompareAgent({ agent }: { agent: Schema<'AgentView'> }): ReactNode {
  const { comparison } = route.useSearch();
  if (comparison !== undefined) return <ComparisonDetail key={comparison} agentId={agent.id} id={comparison} />;
  return <Comparisons agent={agent} />;
}

function Comparisons({ agent }: { agent: Schema<'AgentView'> }): ReactNode {
  const list = useCursorList(
    ['comparisons', agent.id],
    (cursor, signal) => {
      const params = { path: { id: agent.id }, query: { limit: pageSize, cursor } };
      return answer(api.GET('/api/v1/agents/{id}/comparisons', { params, signal }));
    },
    { refetchInterval: (rows) => (rows.some(({ state }) => state === 'running') ? everyMs : false) },
  );
  const { data } = useProjectQuery(['comparisons', agent.id, 'sets'], (signal) =>
    answer(api.GET('/api/v1/agents/{id}/case-sets', { params: { path: { id: agent.id } }, signal })),
  );
  const sets = data?.data ?? [];
  return (
    <Stack gap="md">
      <NewComparison agent={agent} earlier={list.rows} sets={sets} />
      <CaseSets agentId={agent.id} sets={sets} />
      <Section title={texts.earlierOnes}>
        {list.error && <ProblemAlert error={list.error} onRetry={list.refresh} />}
        {list.loading && <Skeleton height={120} />}
        {!list.loading && !list.error && list.rows.length === 0 && <EmptyState icon={Scale} {...texts.empty} />}
        <Stack gap="sm">
          {list.rows.map((comparison) => (
            <OneComparison key={comparison.id} comparison={comparison} />
          ))}
        </Stack>
        {list.hasMore && (
          <Button mt="sm" variant="default" loading={list.loadingMore} onClick={list.loadMore}>
            {texts.more}
          </Button>
        )}
      </Section>
    </Stack>
  );
}

function OneComparison({ comparison }: { comparison: Schema<'ComparisonView'> }): ReactNode {
  const { id, state, cases, open, baseline, candidate, made_by, created_at } = comparison;
  const { projectId, agentId } = route.useParams();
  const nameOf = usePrincipalName();
  return (
    <Group gap="sm">
      <TextLink
        to={{
          to: '/p/$projectId/agents/$agentId',
          params: { projectId, agentId },
          search: { tab: 'compare', comparison: id },
        }}
      >
        {texts.title(baseline.version, candidate.version)}
      </TextLink>
      <StatusBadge status={state} label={texts.states[state]} />
      <Text size="sm" c="dimmed">
        {texts.progress(cases - open, cases)} · {nameOf(made_by)} <When at={created_at} />
      </Text>
    </Group>
  );
}
