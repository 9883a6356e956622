import { Button, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { ChevronDown, FlaskConical, Funnel, RotateCcw, Route, Send, Target } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useScope } from '../../../api/session.js';
import { eventPageTexts } from '../../../texts/event.js';
import { ConfirmDialog } from '../../../ui/dialog.js';
import { ProblemAlert } from '../../../ui/notices.js';
import { CopyCurl } from './copy-curl.js';
import { ReplayElsewhere } from './replay-elsewhere.js';
import type { EventDetail } from './steps.js';
import { replayEvent, replayRun, type ReplayTarget, useRepair } from './event-repair.js';
import { useWorkflowNames } from './use-event.js';

const texts = eventPageTexts.actions;

export function EventActions({ event }: { event: EventDetail }): ReactNode {
  const navigate = useNavigate({ from: '/p/$projectId/events/$eventId' });
  const mayReplay = useScope('events:write') && event.outcome !== 'verification';
  const mayTrigger = useScope('workflows:write') && event.app_id?.startsWith('app_') === true;
  return (
    <>
      <CopyCurl event={event} />
      {event.messages.length > 0 && (
        <Button
          variant="default"
          leftSection={<FlaskConical size={14} aria-hidden />}
          onClick={() => void navigate({ search: { test: '' } })}
        >
          {texts.test}
        </Button>
      )}
      {mayTrigger && event.messages.length > 0 && (
        <Button
          variant="default"
          leftSection={<Funnel size={14} aria-hidden />}
          onClick={() => void navigate({ to: '/p/$projectId/events/$eventId/new-trigger' })}
        >
          {texts.makeTrigger}
        </Button>
      )}
      {mayReplay && <Replay event={event} />}
    </>
  );
}

function Replay({ event }: { event: EventDetail }): ReactNode {
  const [asking, setAsking] = useState(false);
  const [choosing, setChoosing] = useState(false);
  const mayRuns = useScope('workflows:write');
  const mayAgents = useScope('agents:write');
  const workflowName = useWorkflowNames();
  const replay = useRepair(event.id, async ({ deliver, target }: { deliver: boolean; target?: ReplayTarget }) => {
    const { turn_ids, replayed } = await replayEvent(event.id, deliver, target);
    const started = replayed === 'receipt' || turn_ids.length > 0;
    notifications.show({ message: started ? texts.started : texts.nothing });
    setChoosing(false);
  });
  const one = useRepair(event.id, async (runId: string) => {
    await replayRun(runId);
    notifications.show({ message: texts.started });
  });
  const targets = mayRuns ? event.runs.filter(({ replay_of }) => !replay_of) : [];
  return (
    <>
      <Menu position="bottom-end" width={300}>
        <Menu.Target>
          <Button
            leftSection={<RotateCcw size={14} aria-hidden />}
            rightSection={<ChevronDown size={14} aria-hidden />}
            loading={replay.isPending || one.isPending}
          >
            {texts.replay}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Item
            icon={FlaskConical}
            title={texts.rehearse}
            text={texts.rehearseText}
            act={() => replay.mutate({ deliver: false })}
          />
          <Item icon={Send} title={texts.deliver} text={texts.deliverText} act={() => setAsking(true)} />
          {targets.length > 0 && <Menu.Label>{texts.oneTarget}</Menu.Label>}
          {targets.map(({ id, workflow_id }) => (
            <Item
              key={id}
              icon={Target}
              title={texts.target(workflowName(workflow_id))}
              text={texts.targetText}
              act={() => one.mutate(id)}
            />
          ))}
          {(mayRuns || mayAgents) && event.messages.length > 0 && (
            <>
              <Menu.Divider />
              <Item
                icon={Route}
                title={texts.elsewhere}
                text={texts.elsewhereText}
                act={() => {
                  replay.reset();
                  setChoosing(true);
                }}
              />
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        opened={asking}
        title={texts.deliver}
        question={texts.deliverQuestion}
        onClose={() => setAsking(false)}
        onConfirm={() => replay.mutate({ deliver: true })}
      />
      <ReplayElsewhere
        opened={choosing}
        saving={replay.isPending}
        error={replay.error}
        onReplay={(target, deliver) => replay.mutate({ deliver, target })}
        onClose={() => setChoosing(false)}
      />
      <ProblemAlert error={choosing ? null : (replay.error ?? one.error)} />
    </>
  );
}

interface ItemProps {
  icon: typeof Send;
  title: string;
  text: string;
  act: () => void;
}

function Item({ icon: Icon, title, text, act }: ItemProps): ReactNode {
  return (
    <Menu.Item leftSection={<Icon size={16} aria-hidden />} onClick={act}>
      {title}
      <div style={{ fontSize: 'var(--mantine-font-size-xs)', color: 'var(--mantine-color-dimmed)' }}>{text}</div>
    </Menu.Item>
  );
}
