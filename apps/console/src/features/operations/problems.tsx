import { Alert, Group, Skeleton, Stack, Text } from '@mantine/core';
import { PartyPopper } from 'lucide-react';
import { type ReactNode, Suspense } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useLiveRefresh } from '../../api/event-stream.js';
import { useProjectQuery } from '../../api/project-query.js';
import { problemStates } from '../../app/search-values.js';
import { operationsTexts } from '../../texts/operations.js';
import { FilterBar, FilterSelect } from '../../ui/filter-bar.js';
import { LateManyBar } from '../../ui/late-many-bar.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { useSelection } from '../../ui/selection.js';
import { BatchProgress } from './batch-progress.js';
import { useOperationsSearch } from './filters.js';
import { useManyProblems } from './many-problems.js';
import { ProblemCard } from './problem-card.js';

const texts = operationsTexts.problems;
const everyMs = 15_000;
const keyOf = ({ id }: { id: string }): string => id;

/** What failed, by cause: how often, for how many people, since when, and what to do with it. */
export function Problems(): ReactNode {
  const { search, change, clear } = useOperationsSearch();
  const { problem: state, batch } = search;
  const { data, error, refetch } = useProjectQuery(
    ['dead-letters', 'problems'],
    (signal) => answer(api.GET('/api/v1/problems', { signal })),
    { refetchInterval: everyMs },
  );
  useLiveRefresh('dead-letters');
  const wanted = (one: Schema<'ProblemView'>): boolean =>
    state === undefined ? one.state === 'open' || one.state === 'regressed' : one.state === state;
  const shown = data?.data.filter(wanted);
  const selection = useSelection(shown ?? [], keyOf);
  const many = useManyProblems();
  return (
    <Stack gap="sm">
      {batch && <BatchProgress id={batch} onClose={() => change({ batch: undefined })} />}
      <FilterBar filtered={state !== undefined} onClear={clear}>
        <FilterSelect
          label={texts.state}
          any={texts.anyState}
          value={state}
          options={problemStates.map((value) => ({ value, label: texts.states[value] }))}
          onChange={(next) => change({ problem: next })}
        />
      </FilterBar>
      {error && !data && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={240} />}
      {data?.cut && (
        <Alert variant="light" color="yellow">
          {texts.cut}
        </Alert>
      )}
      {shown?.length === 0 && <EmptyState icon={PartyPopper} {...(state ? texts.emptyFiltered : texts.empty)} />}
      {data &&
        shown?.map((one) => (
          <ProblemCard
            key={one.id}
            problem={one}
            days={data.days}
            checked={selection.has(one.id)}
            onToggle={(range) => selection.toggle(one.id, range)}
          />
        ))}
      {selection.touched && (
        <Suspense>
          <LateManyBar {...many} keyOf={keyOf} selection={selection} />
        </Suspense>
      )}
      {data && data.data.length > (shown?.length ?? 0) && state === undefined && (
        <Group justify="center">
          <Text size="sm" c="dimmed">
            {texts.others(data.data.length - (shown?.length ?? 0))}
          </Text>
        </Group>
      )}
    </Stack>
  );
}
