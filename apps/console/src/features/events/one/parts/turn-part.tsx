import { Alert, Anchor, Skeleton, Stack, Text } from '@mantine/core';
import { Hand } from 'lucide-react';
import type { ReactNode } from 'react';
import { useAgentName } from '../../../../api/choices.js';
import { answer, api, type Schema } from '../../../../api/client.js';
import { useProjectQuery } from '../../../../api/project-query.js';
import { useScope } from '../../../../api/session.js';
import { useCost } from '../../../../api/usage.js';
import { named } from '../../../../drawn/drawn-text.js';
import { eventPageTexts } from '../../../../texts/event.js';
import { Facts } from '../../../../ui/facts.js';
import { JsonView } from '../../../../ui/json-view.js';
import { ProjectLink } from '../../../../ui/links.js';
import { AgentName } from '../../../../ui/name-of.js';
import { ProblemAlert } from '../../../../ui/notices.js';
import { grouped } from '../../../../ui/numbers.js';
import { RunSteps } from '../../../../ui/run-steps.js';
import { StatusBadge } from '../../../../ui/status-badge.js';
import { When } from '../../../../ui/when.js';
import type { Axis, EventDetail } from '../steps.js';
import { useRun, useTurn, useWorkflowNames } from '../use-event.js';
import { TurnSteps } from './turn-steps.js';

const texts = eventPageTexts.turn;

interface TurnPartProps {
  event: EventDetail;
  turnId: string | null;
  axis: Axis;
}

/** What an agent did: its calls on the axis of the event, with their arguments, and who had to decide. */
export function TurnPart({ event, turnId, axis }: TurnPartProps): ReactNode {
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
      <WorkflowSteps eventId={event.id} turn={turn} />
      {turn.state === 'waiting_approval' && <TurnApprovals eventId={event.id} turnId={turn.id} />}
      <StepsOf turn={turn} eventId={event.id} axis={axis} />
    </Stack>
  );
}

/** Of the workflow whose run this turn is. A run has those of its last turn. */
function WorkflowSteps({ eventId, turn }: { eventId: string; turn: Schema<'TurnView'> }): ReactNode {
  const { data: run, error, refetch } = useRun(eventId, turn.run_id);
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!run?.steps || run.turns.at(-1)?.id !== turn.id) return null;
  return <RunSteps steps={run.steps} />;
}

/** The steps of a turn; below a call that asks another agent, those of that agent's turn. */
function StepsOf({ turn, eventId, axis }: { turn: Schema<'TurnView'>; eventId: string; axis: Axis }): ReactNode {
  const within = (callId: unknown, step: number): ReactNode => {
    const called = turn.called.find((one) => one.call_id === callId && one.step === step);
    return called && <AskedTurn eventId={eventId} id={called.id} agentId={called.agent_id} axis={axis} />;
  };
  return <TurnSteps steps={turn.steps} axis={axis} within={within} />;
}

interface AskedTurnProps {
  eventId: string;
  id: string;
  agentId: string;
  axis: Axis;
}

function AskedTurn({ eventId, id, agentId, axis }: AskedTurnProps): ReactNode {
  const { data: turn, error, refetch } = useTurn(eventId, id, true);
  const nameOf = useAgentName();
  const cost = useCost();
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!turn) return <Skeleton height={60} aria-label={texts.loading} />;
  const { tokens, cost_micros: micros, state, reason_text: reason, waiting } = turn;
  const why = waiting?.text ?? (state === 'failed' ? reason : null);
  const spent = [tokens > 0 && texts.tokensOf(grouped(tokens)), micros > 0 && cost(micros)].filter(Boolean);
  return (
    <section aria-label={texts.asked(nameOf(agentId))}>
      <Text size="sm">
        <ProjectLink path={`/agents/${agentId}`}>
          <AgentName id={agentId} />
        </ProjectLink>{' '}
        <StatusBadge status={state} />
        {spent.length > 0 && ` ${spent.join(' · ')}`}
      </Text>
      {why && (
        <Text size="sm" c="dimmed">
          {why}
        </Text>
      )}
      {state === 'waiting_approval' && <TurnApprovals eventId={eventId} turnId={id} />}
      <StepsOf turn={turn} eventId={eventId} axis={axis} />
    </section>
  );
}

function TurnFacts({ turn, runs }: { turn: Schema<'TurnView'>; runs: EventDetail['runs'] }): ReactNode {
  const workflowName = useWorkflowNames();
  const run = runs.find(({ id }) => id === turn.run_id);
  const { agent_id, session_id, tokens, cost_micros } = turn;
  const cost = useCost();
  const documents = documentsOf(turn.steps);
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
        [texts.documents, documents.length > 0 && <ReadDocuments of={documents} />],
        [texts.tokens, tokens > 0 ? grouped(tokens) : null],
        [texts.cost, tokens > 0 && <TurnCost cost={cost_micros > 0 ? cost(cost_micros) : null} steps={turn.steps} />],
        [
          texts.note,
          [turn.rehearsal && texts.rehearsal, texts.contentTrusts[turn.content_trust]].filter(Boolean).join('. '),
        ],
      ]}
    />
  );
}

/** The cost, the list prices that it is from, and the models of which no price is known. */
function TurnCost({ cost, steps }: { cost: string | null; steps: Schema<'TurnView'>['steps'] }): ReactNode {
  const listed = steps.flatMap(({ content: { list_price: price } }) =>
    typeof price === 'object' && price !== null ? [price as { date: string; source: string }] : [],
  );
  const unpriced = steps.flatMap(({ content }) => (content['unpriced'] === true ? [String(content['model'])] : []));
  return (
    <>
      {cost}
      {[...new Map(listed.map((price) => [price.source + price.date, price])).values()].map(({ date, source }) => (
        <span key={source + date}>
          {' · '}
          <Anchor href={source} target="_blank" rel="noreferrer" size="sm">
            {texts.listPrice(date)}
          </Anchor>
        </span>
      ))}
      {unpriced.length > 0 && `${cost === null ? '' : ' · '}${texts.unpriced([...new Set(unpriced)])}`}
    </>
  );
}

interface ReadDocument {
  id: string;
  /** Null where only a fact that it states was read. */
  title: string | null;
}

/** The documents that the results of the turn's calls are from, each once. */
function documentsOf(steps: Schema<'TurnView'>['steps']): ReadDocument[] {
  const found = new Map<string, string | null>();
  for (const { id, title } of steps.flatMap(({ content }) => (content['documents'] ?? []) as ReadDocument[])) {
    found.set(id, found.get(id) ?? title);
  }
  return [...found].map(([id, title]) => ({ id, title }));
}

function ReadDocuments({ of }: { of: ReadDocument[] }): ReactNode {
  return of.map(({ id, title }, at) => (
    <span key={id}>
      {at > 0 && ' · '}
      <ProjectLink path={`/knowledge/${id}`}>{named(title ?? id)}</ProjectLink>
    </span>
  ));
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
