import { Alert, Group, Progress, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { projectKey, useProjectId } from '../../api/project-query.js';
import { developerPortalTexts } from '../../texts/developer-portal.js';
import { CodeBlock } from '../../ui/code-block.js';
import { CopyButton } from '../../ui/copy.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';

const texts = developerPortalTexts.conformance;
const pollMs = 1_000;

/** One run of the checks: its progress, and what failed. */
export function ConformanceRun({ adapterId, runId }: { adapterId: string; runId: string }): ReactNode {
  const projectId = useProjectId();
  const [all, setAll] = useState(false);
  const { data: run, error } = useQuery({
    queryKey: projectKey(projectId, ['adapters', adapterId, 'conformance', runId]),
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/v1/adapters/{id}/conformance-runs/{runId}', {
          params: { path: { id: adapterId, runId } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? pollMs : false),
  });
  if (error) return <ProblemAlert error={error} />;
  if (!run) return <Skeleton height={160} />;
  const points = run.report?.points ?? [];
  const shown = all ? points : points.filter(({ checks }) => checks.some(({ status }) => status === 'failed'));
  return (
    <Section
      title={run.state === 'running' ? texts.running : texts.progress(run.points_done, run.points_total)}
      actions={
        <Group gap="sm">
          <Text size="sm" c="dimmed">
            <When at={run.created_at} />
          </Text>
          {run.report && <CopyButton text={() => JSON.stringify(run.report, null, 2)} label={texts.copy} />}
        </Group>
      }
    >
      <Stack gap="md" aria-live="polite">
        {run.state === 'running' && (
          <div>
            <Progress
              value={(run.points_done / Math.max(run.points_total, 1)) * 100}
              aria-label={texts.progress(run.points_done, run.points_total)}
              animated
            />
            <Text size="sm" c="dimmed" mt={4}>
              {texts.progress(run.points_done, run.points_total)}
            </Text>
          </div>
        )}
        {run.error && (
          <Alert color="red" variant="light" icon={<TriangleAlert size={18} aria-hidden />} title={texts.states.failed}>
            {run.error}
          </Alert>
        )}
        {run.report?.summary && <Summary report={run.report} />}
        {points.length > 0 && (
          <Switch label={texts.showAll} checked={all} onChange={(event) => setAll(event.currentTarget.checked)} />
        )}
        {shown.map((point) => (
          <ConformancePoint key={point.point} point={point} all={all} />
        ))}
      </Stack>
    </Section>
  );
}

function Summary({ report }: { report: Schema<'ReportView'> }): ReactNode {
  const { ok, summary } = report;
  if (!summary) return null;
  return (
    <Alert
      variant="light"
      color={ok ? 'teal' : 'red'}
      icon={ok ? <CircleCheck size={18} aria-hidden /> : <TriangleAlert size={18} aria-hidden />}
      title={ok ? texts.passed : texts.failed(summary.failed)}
      role="status"
    >
      {texts.summary(summary.passed, summary.skipped, summary.not_applicable)}
    </Alert>
  );
}

interface ConformancePointProps {
  point: Schema<'PointResultView'>;
  /** Also shows the checks that did not fail. */
  all: boolean;
}

/** One point of the contract with its checks. */
function ConformancePoint({ point, all }: ConformancePointProps): ReactNode {
  const checks = all ? point.checks : point.checks.filter(({ status }) => status === 'failed');
  return (
    <Stack gap="sm">
      <Text fw={600}>
        {point.point}. {point.title}
      </Text>
      {checks.map((check) => (
        <Stack key={check.id} gap={6} pl="md">
          <Group gap="xs">
            <Text>{check.title}</Text>
            <StatusBadge status={check.status} />
          </Group>
          {check.reason && (
            <Text size="sm" c="dimmed">
              {check.reason}
            </Text>
          )}
          {check.failure && (
            <>
              <Text size="sm">
                <b>{texts.advice}</b> {check.failure.advice}
              </Text>
              <CodeBlock
                label={`${check.title}: ${texts.got}`}
                wrap
                code={[
                  `${texts.request}:  ${check.failure.request}`,
                  `${texts.expected}:  ${check.failure.expected}`,
                  `${texts.got}:  ${check.failure.got}`,
                ].join('\n')}
              />
            </>
          )}
        </Stack>
      ))}
    </Stack>
  );
}
