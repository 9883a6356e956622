import { Group, Text, Timeline } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { workflowTexts } from '../../texts/workflows.js';
import { Facts } from '../../ui/facts.js';
import { TextLink } from '../../ui/links.js';
import { Unread } from '../../ui/name-of.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { useTriggers, useWorkflow } from './queries.js';
import { TriggerSentence } from './trigger-sentence.js';

const texts = workflowTexts.run;

export function RunFacts({ run }: { run: Schema<'RunDetailView'> }): ReactNode {
  const projectId = useProjectId();
  const { data: workflow, isPending } = useWorkflow(run.workflow_id);
  return (
    <Facts
      of={[
        [
          texts.workflow,
          <TextLink
            to={{
              to: '/p/$projectId/workflows/$workflowId',
              params: { projectId, workflowId: String(run.workflow_id) },
            }}
          >
            {isPending ? <Unread /> : (workflow?.data.name ?? run.workflow_id)}
          </TextLink>,
        ],
        [
          texts.event,
          <TextLink to={{ to: '/p/$projectId/events/$eventId', params: { projectId, eventId: run.receipt_id } }}>
            {texts.openEvent}
          </TextLink>,
        ],
        [texts.trigger, <StartedBy run={run} />],
        [
          texts.replayOf,
          run.replay_of && (
            <TextLink to={{ to: '/p/$projectId/runs/$runId', params: { projectId, runId: run.replay_of } }}>
              {texts.originalRun}
            </TextLink>
          ),
        ],
        [texts.error, run.error && <code>{run.error}</code>],
        [texts.reason, run.reason && <code>{run.reason}</code>],
        [texts.waitingUntil, run.waiting_until && <When at={run.waiting_until} relative />],
        [texts.created, <When at={run.created_at} />],
        [texts.finished, run.finished_at && <When at={run.finished_at} />],
        [
          texts.deliveries,
          run.deliveries.length > 0 &&
            run.deliveries.map(({ id, kind, state }) => (
              <span key={id}>
                {texts.kinds[kind]} <StatusBadge status={state} />{' '}
              </span>
            )),
        ],
      ]}
    />
  );
}

function StartedBy({ run }: { run: Schema<'RunDetailView'> }): ReactNode {
  const { data: triggers, isPending } = useTriggers();
  const trigger = triggers?.find(({ id }) => id === run.trigger_id);
  if (trigger) return <TriggerSentence trigger={trigger} />;
  if (run.trigger_id !== null && isPending) return <Unread />;
  if (run.rehearsal) return workflowTexts.runs.rehearsal;
  if (run.replay) return workflowTexts.runs.replay;
  return run.trigger_id ?? workflowTexts.runs.byHand;
}

/** The attempts of a run, oldest first. */
export function RunTurns({ turns }: { turns: Schema<'RunTurn'>[] }): ReactNode {
  return (
    <Timeline bulletSize={14} lineWidth={2} active={turns.length}>
      {turns.map((turn) => (
        <Timeline.Item key={turn.id}>
          <Group gap="xs">
            <code>{`…${turn.id.slice(-10)}`}</code>
            <StatusBadge status={turn.state} />
            {turn.finished_at && (
              <Text size="sm" c="dimmed" component="span">
                <When at={turn.finished_at} />
              </Text>
            )}
            {turn.redrives > 0 && (
              <Text size="sm" c="dimmed" component="span">
                {texts.attempts(turn.redrives)}
              </Text>
            )}
          </Group>
          {(turn.reason_text ?? turn.error) && <Text size="sm">{turn.reason_text ?? turn.error}</Text>}
          {turn.waiting && (
            <Text size="sm">
              {turn.waiting.text ?? turn.waiting.reason} · {texts.waitingUntil}{' '}
              <When at={turn.waiting.until} relative />
            </Text>
          )}
        </Timeline.Item>
      ))}
    </Timeline>
  );
}
