import { Alert, Skeleton, Stack, Text } from '@mantine/core';
import { Hand } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../../../api/client.js';
import { useProjectQuery } from '../../../../api/project-query.js';
import { useScope } from '../../../../api/session.js';
import { named } from '../../../../drawn/drawn-text.js';
import { eventPageTexts } from '../../../../texts/event.js';
import { Facts } from '../../../../ui/facts.js';
import { JsonView } from '../../../../ui/json-view.js';
import { ProjectLink } from '../../../../ui/links.js';
import { AgentName } from '../../../../ui/name-of.js';
import { ProblemAlert } from '../../../../ui/notices.js';
import { grouped } from '../../../../ui/numbers.js';
import { When } from '../../../../ui/when.js';
import type { EventDetail } from '../steps.js';
import { useTurn, useWorkflowNames } from '../use-event.js';
import { TurnSteps } from './turn-steps.js';

const texts = eventPageTexts.turn;

/** What an agent did: its steps, its calls with their arguments, and who had to decide. */
export function TurnPart({ event, turnId }: { event: EventDetail; turnId: string | null }): ReactNode {
  const mayRead = useScope('agents:read');
  const { data: turn, error, refetch } = useTurn(event.id, turnId, mayRead);
  if (!mayRead) return <Text c="dimmed">{texts.noScope}</Text>;
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!turn) return <Skeleton height={120} aria-label={texts.loading} />;
  return (
    <Stack gap="sm">
      {(turn.waiting?.text ?? turn.reason_text) && (
        <Text>{turn.waiting ? texts.waits(turn.waiting.text ?? turn.waiting.reason) : turn.reason_text}</Text>
      )}
      <TurnFacts turn={turn} runs={event.runs} />
      {turn.state === 'waiting_approval' && <TurnApprovals eventId={event.id} turnId={turn.id} />}
      <TurnSteps steps={turn.steps} />
    </Stack>
  );
}

function TurnFacts({ turn, runs }: { turn: Schema<'TurnView'>; runs: EventDetail['runs'] }): ReactNode {
  const workflowName = useWorkflowNames();
  const run = runs.find(({ id }) => id === turn.run_id);
  const { agent_id, session_id, tokens } = turn;
  return (
    <Facts
      of={[
        [
          texts.agent,
          agent_id === null ? (
            turn.reason !== 'limit_notice' && texts.chief
          ) : (
            <ProjectLink path={`/agents/${agent_id}`}>
              <AgentName id={agent_id} />
            </ProjectLink>
          ),
        ],
        [
          texts.run,
          run && (
            <>
              <ProjectLink path={`/runs/${run.id}`}>{workflowName(run.workflow_id)}</ProjectLink>
              {run.replay && ` · ${eventPageTexts.actions.replay}`}
            </>
          ),
        ],
        [
          texts.session,
          session_id && <ProjectLink path={`/conversations/${session_id}`}>{texts.openSession}</ProjectLink>,
        ],
        [texts.tokens, tokens > 0 ? grouped(tokens) : null],
        [
          texts.note,
          [turn.rehearsal && texts.rehearsal, texts.contentTrusts[turn.content_trust]].filter(Boolean).join('. '),
        ],
      ]}
    />
  );
}

const approvalTexts = eventPageTexts.approval;

/** Calls of a turn that wait for approval, with their arguments. */
function TurnApprovals({ eventId, turnId }: { eventId: string; turnId: string }): ReactNode {
  const {
    data = [],
    error,
    refetch,
  } = useProjectQuery(['event', eventId, 'approvals'], async (signal) => {
    const query = { event_id: eventId, state: 'pending' as const, limit: 200 };
    return (await answer(api.GET('/api/v1/approvals', { params: { query }, signal }))).data;
  });
  return (
    <Stack gap="xs">
      <ProblemAlert error={error} onRetry={() => void refetch()} />
      {data
        .filter(({ turn_id }) => turn_id === turnId)
        .map(({ id, tool, grade, arguments: given, expires_at }) => (
          <Alert
            key={id}
            color="yellow"
            variant="light"
            icon={<Hand size={18} aria-hidden />}
            title={`${approvalTexts.title}: ${named(tool)} (${grade})`}
            styles={{ title: { color: 'var(--mantine-color-text)' } }}
          >
            <Text size="sm" mb={6}>
              {approvalTexts.until} <When at={expires_at} /> ·{' '}
              <ProjectLink path={`/approvals/${id}`}>{approvalTexts.open}</ProjectLink>
            </Text>
            <JsonView label={approvalTexts.arguments} value={given} depth={2} />
          </Alert>
        ))}
    </Stack>
  );
}
