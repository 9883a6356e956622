import { Button, Collapse, Group, Skeleton, Stack, Table, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { projectKey, useProjectId } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { usePrincipalName } from '../../api/principals.js';
import { developerPortalTexts } from '../../texts/developer-portal.js';
import { JsonEditor } from '../../ui/code-editor.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { ConformanceRun } from './conformance-run.js';
import { useAdapterMutation } from './use-adapter.js';

const texts = developerPortalTexts.conformance;
const shown = 20;
const pollMs = 2_000;

interface ConformanceProps {
  id: string;
  /** The open run; the newest when absent. */
  run: string | undefined;
  onRun: (runId: string) => void;
}

/** Checks the adapter against the contract and shows what failed. */
export function Conformance({ id, run, onRun }: ConformanceProps): ReactNode {
  const may = useScope('apps:write');
  const nameOf = usePrincipalName();
  const [open, setOpen] = useState(false);
  const [fixtures, setFixtures] = useState('');
  const parsed = parseFixtures(fixtures);
  const runs = useQuery({
    queryKey: projectKey(useProjectId(), ['adapters', id, 'conformance']),
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { limit: shown } };
      return (await answer(api.GET('/api/v1/adapters/{id}/conformance-runs', { params, signal }))).data;
    },
    refetchInterval: ({ state }) => (state.data?.some((one) => one.state === 'running') ? pollMs : false),
  });
  const begin = useAdapterMutation(() =>
    answer(
      api.POST('/api/v1/adapters/{id}/conformance-runs', {
        params: { path: { id } },
        body: parsed && Object.keys(parsed).length > 0 ? { fixtures: parsed } : {},
      }),
    ),
  );
  const current = run ?? runs.data?.[0]?.id;
  return (
    <Stack gap="md">
      <Section
        title={developerPortalTexts.one.tabs.conformance}
        actions={
          may && (
            <Button
              leftSection={<Play size={14} aria-hidden />}
              loading={begin.isPending}
              disabled={parsed === null}
              onClick={() => begin.mutate(undefined, { onSuccess: (begun) => onRun(begun.id) })}
            >
              {texts.begin}
            </Button>
          )
        }
      >
        <Stack gap="sm">
          <Text c="dimmed">{texts.intro}</Text>
          {may && (
            <div>
              <UnstyledButton aria-expanded={open} onClick={() => setOpen(!open)}>
                <span aria-hidden>{open ? '▾' : '▸'}</span> {texts.fixtures}
              </UnstyledButton>
              <Collapse expanded={open}>
                <JsonEditor
                  label={texts.fixtures}
                  description={texts.fixturesHint}
                  value={fixtures}
                  onChange={setFixtures}
                  error={parsed === null ? texts.fixturesWrong : undefined}
                  height={200}
                />
              </Collapse>
            </div>
          )}
          <ProblemAlert error={begin.error} />
        </Stack>
      </Section>
      {current && <ConformanceRun adapterId={id} runId={current} />}
      <Section title={texts.runs}>
        {runs.error && <ProblemAlert error={runs.error} onRetry={() => void runs.refetch()} />}
        {!runs.data && !runs.error && <Skeleton height={60} />}
        {runs.data?.length === 0 && <Text c="dimmed">{texts.empty}</Text>}
        {runs.data && runs.data.length > 0 && (
          <Table.ScrollContainer minWidth={460}>
            <Table aria-label={texts.runs} verticalSpacing={6}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{texts.columns.at}</Table.Th>
                  <Table.Th>{texts.columns.state}</Table.Th>
                  <Table.Th>{texts.columns.points}</Table.Th>
                  <Table.Th>{texts.columns.by}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {runs.data.map((one) => (
                  <Table.Tr key={one.id} aria-current={one.id === current || undefined}>
                    <Table.Td>
                      <Button variant="transparent" size="compact-sm" px={0} onClick={() => onRun(one.id)}>
                        <When at={one.created_at} />
                      </Button>
                    </Table.Td>
                    <Table.Td>
                      <Group gap={6}>
                        {one.state === 'failed' ? <StatusBadge status="failed" /> : texts.states[one.state]}
                      </Group>
                    </Table.Td>
                    <Table.Td>{texts.progress(one.points_done, one.points_total)}</Table.Td>
                    <Table.Td>{nameOf(one.started_by)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </Section>
    </Stack>
  );
}

/** @returns null if the text is not a JSON object; an empty object for an empty text */
function parseFixtures(typed: string): Record<string, unknown> | null {
  if (typed.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(typed);
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
