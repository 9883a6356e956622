import { Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useProjectQuery } from '../../../../api/project-query.js';
import { answer, api } from '../../../../api/client.js';
import { useScope } from '../../../../api/session.js';
import type { Schema } from '../../../../api/named-schema.js';
import { eventPageTexts } from '../../../../texts/event.js';
import { Facts } from '../../../../ui/facts.js';
import { ProblemAlert } from '../../../../ui/problem-alert.js';
import { ProjectLink } from '../../../../ui/project-link.js';
import type { EventDetail } from '../stations.js';
import { useTurn, useWorkflowNames } from '../use-event.js';
import { TurnApprovals } from './turn-approvals.js';
import { TurnSteps } from './turn-steps.js';
import { grouped } from '../../../../ui/grouped.js';

const texts = eventPageTexts.turn;

/** What an agent did: its steps, its calls with their arguments, and who had to decide. */
export function TurnPart({ event, turnId }: { event: EventDetail; turnId: string | null }): ReactNode {
  const mayRead = useScope('agents:read');
  const { data: turn, error } = useTurn(event.id, turnId, mayRead);
  if (!mayRead) return <Text c="dimmed">{texts.noScope}</Text>;
  if (error) return <ProblemAlert error={error} />;
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
  const agents = useProjectQuery(['agents', 'names'], async (signal) => {
    return (await answer(api.GET('/api/v1/agents', { params: { query: { limit: 200 } }, signal }))).data;
  });
  const agent = agents.data?.find(({ id }) => id === turn.agent_id);
  const run = runs.find(({ id }) => id === turn.run_id);
  const { agent_id, session_id, tokens } = turn;
  return (
    <Facts
      of={[
        [
          texts.agent,
          agent_id === null ? (
            texts.chief
          ) : (
            <ProjectLink path={`/agents/${agent_id}`}>{agent?.name ?? agent_id}</ProjectLink>
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
          [turn.rehearsal && texts.rehearsal, turn.read_untrusted && texts.untrusted].filter(Boolean).join('. '),
        ],
      ]}
    />
  );
}
