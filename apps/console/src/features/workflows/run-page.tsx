import { Anchor, List, Skeleton, Stack, Text } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { stepTexts } from '../../texts/workflow-steps.js';
import { workflowTexts } from '../../texts/workflows.js';
import { CopyText } from '../../ui/copy.js';
import { JsonView } from '../../ui/json-view.js';
import { Page, Section } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/notices.js';
import { RunSteps } from '../../ui/run-steps.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { RunActions } from './run-actions.js';
import { RunFacts, RunTurns } from './run-facts.js';

const route = getRouteApi('/p/$projectId/runs/$runId');
const texts = workflowTexts.run;
const inFlight: readonly string[] = ['suspended', 'queued', 'running', 'waiting', 'waiting_approval'];
const everyMs = 1_500;
/** Refetch interval after the run has ended: its delivery ends later. */
const afterMs = 10_000;

export function RunPage(): ReactNode {
  const { projectId, runId } = route.useParams();
  const {
    data: run,
    error,
    refetch,
  } = useProjectQuery(
    ['runs', runId],
    (signal) => answer(api.GET('/api/v1/runs/{id}', { params: { path: { id: runId } }, signal })),
    { refetchInterval: (read) => (read && !inFlight.includes(read.state) ? afterMs : everyMs) },
  );
  return (
    <Page
      title={texts.title}
      mark={run && <StatusBadge status={run.state} />}
      description={<CopyText text={runId} />}
      breadcrumbs={[
        { label: workflowTexts.title, to: { to: '/p/$projectId/workflows', params: { projectId } } },
        ...(run
          ? [
              {
                label: workflowTexts.tabs.runs,
                to: {
                  to: '/p/$projectId/workflows/$workflowId' as const,
                  params: { projectId, workflowId: String(run.workflow_id) },
                  search: { tab: 'runs' as const },
                },
              },
            ]
          : []),
      ]}
      actions={run && <RunActions run={run} />}
    >
      {error && !run && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!run && !error && <Skeleton height={320} />}
      {run && (
        <Stack gap="md">
          {run.state === 'waiting_approval' && (
            <Text>
              {texts.approvals}{' '}
              <Anchor renderRoot={(props) => <Link {...props} to="/p/$projectId/approvals" params={{ projectId }} />}>
                {texts.openApprovals}
              </Anchor>
            </Text>
          )}
          {run.output ? (
            <Section title={texts.output}>
              <JsonView label={texts.output} value={run.output} />
            </Section>
          ) : (
            <Section title={texts.reply}>
              <Text
                style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
                c={run.reply_text ? undefined : 'dimmed'}
              >
                {run.reply_text ?? texts.noReply}
              </Text>
            </Section>
          )}
          {run.output_problems && (
            <Section title={texts.outputProblems}>
              <List size="sm">
                {run.output_problems.map(({ pointer, message }) => (
                  <List.Item key={`${pointer} ${message}`}>
                    {pointer === '' ? texts.wholeAnswer : <code>{pointer}</code>} {message}
                  </List.Item>
                ))}
              </List>
            </Section>
          )}
          {run.steps && (
            <Section title={stepTexts.title} flush>
              <RunSteps steps={run.steps} />
            </Section>
          )}
          <Section title={texts.facts}>
            <RunFacts run={run} />
          </Section>
          {run.turns.length > 0 && (
            <Section title={texts.turns}>
              <RunTurns turns={run.turns} />
            </Section>
          )}
        </Stack>
      )}
    </Page>
  );
}
