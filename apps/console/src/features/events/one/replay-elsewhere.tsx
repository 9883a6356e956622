import { Checkbox, Select } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useAgents } from '../../../api/choices.js';
import { useScope } from '../../../api/session.js';
import { eventPageTexts } from '../../../texts/event.js';
import { FormModal } from '../../../ui/dialog.js';
import { useWorkflows } from './use-event.js';
import type { ReplayTarget } from './event-repair.js';

interface ReplayElsewhereProps {
  opened: boolean;
  saving: boolean;
  error: unknown;
  onReplay: (target: ReplayTarget, deliver: boolean) => void;
  onClose: () => void;
}

const texts = eventPageTexts.actions;
const workflowMark = 'workflow ';

/** A target that a person chooses instead of what the rules choose. */
export function ReplayElsewhere({ opened, saving, error, onReplay, onClose }: ReplayElsewhereProps): ReactNode {
  const mayWorkflows = useScope('workflows:write');
  const mayAgents = useScope('agents:write');
  const { data: workflows = [] } = useWorkflows();
  const { data: agents = [] } = useAgents();
  const [target, setTarget] = useState<string | null>(null);
  const [deliver, setDeliver] = useState(false);
  const on = workflows.filter(({ status }) => status !== 'off');
  const groups = [
    { group: texts.workflows, items: on.map(({ id, name }) => ({ value: `${workflowMark}${id}`, label: name })) },
    { group: texts.agents, items: agents.map(({ id, name }) => ({ value: id, label: name })) },
  ];
  return (
    <FormModal
      opened={opened}
      title={texts.elsewhereTitle}
      submit={texts.elsewhereSubmit}
      saving={saving}
      error={error}
      ready={target !== null}
      onSubmit={() => target !== null && onReplay(targetOf(target), deliver)}
      onClose={onClose}
    >
      <Select
        label={texts.elsewhereTarget}
        description={texts.elsewhereHint}
        required
        searchable
        data-autofocus
        nothingFoundMessage={texts.noTargets}
        data={groups.filter((_, index) => [mayWorkflows, mayAgents][index])}
        value={target}
        onChange={setTarget}
      />
      <Checkbox
        label={texts.deliverToo}
        description={texts.deliverTooHint}
        checked={deliver}
        onChange={(event) => setDeliver(event.currentTarget.checked)}
      />
    </FormModal>
  );
}

function targetOf(value: string): ReplayTarget {
  return value.startsWith(workflowMark)
    ? { workflow_id: Number(value.slice(workflowMark.length)) }
    : { agent_id: value };
}
