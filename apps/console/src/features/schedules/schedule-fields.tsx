import { NumberInput, SegmentedControl, Select, Stack, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAgents } from '../../api/choices.js';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { scheduleTexts } from '../../texts/schedules.js';
import { AboutField } from '../../ui/about.js';
import { NameField } from '../../ui/name-field.js';
import { fieldError } from '../../ui/notices.js';
import { ownTimeZone, TimeZoneSelect } from '../../ui/time-zone-select.js';

export type ScheduleValues = Pick<
  Schema<'ScheduleView'>,
  'name' | 'cron' | 'time_zone' | 'workflow_id' | 'agent_id' | 'message' | 'late_after_s' | 'overlap' | 'catch_up'
>;

export const newSchedule = (): ScheduleValues => ({
  name: '',
  cron: '0 9 * * MON-FRI',
  time_zone: ownTimeZone(),
  workflow_id: null,
  agent_id: null,
  message: '',
  late_after_s: 60,
  overlap: 'skip',
  catch_up: 'last',
});

export const scheduleFields = Object.keys(newSchedule());

interface ScheduleFieldsProps {
  value: ScheduleValues;
  /** Whether it writes to an agent; else it starts a workflow. */
  toAgent: boolean;
  onToAgent: (toAgent: boolean) => void;
  error: unknown;
  onChange: (patch: Partial<ScheduleValues>) => void;
}

const texts = scheduleTexts.fields;
const overlaps = ['skip', 'queue', 'allow'] as const;
const catchUps = ['none', 'last', 'all'] as const;

export function ScheduleFields({ value, toAgent, onToAgent, error, onChange }: ScheduleFieldsProps): ReactNode {
  const workflows = useProjectQuery(
    ['workflows', 'all'],
    async (signal) => (await answer(api.GET('/api/v1/workflows', { signal }))).data,
  );
  const { data: agents = [] } = useAgents();
  return (
    <Stack gap="md">
      <NameField value={value.name} error={error} onChange={(name) => onChange({ name })} />
      <AboutField topic="schedules" label={texts.cron}>
        <TextInput
          label={texts.cron}
          description={texts.cronHint}
          maxLength={200}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={value.cron}
          error={fieldError(error, 'cron')}
          onChange={(event) => onChange({ cron: event.currentTarget.value })}
        />
      </AboutField>
      <TimeZoneSelect
        label={texts.zone}
        value={value.time_zone}
        error={fieldError(error, 'time_zone')}
        onChange={(zone) => onChange({ time_zone: zone })}
      />
      <SegmentedControl
        aria-label={texts.starts}
        data={[
          { value: 'workflow', label: texts.workflow },
          { value: 'agent', label: texts.agent },
        ]}
        value={toAgent ? 'agent' : 'workflow'}
        onChange={(next) => {
          onToAgent(next === 'agent');
          onChange({ workflow_id: null, agent_id: null });
        }}
      />
      {toAgent ? (
        <Select
          label={texts.agentLabel}
          data={agents.map(({ id, name }) => ({ value: id, label: name }))}
          searchable
          allowDeselect={false}
          value={value.agent_id}
          error={fieldError(error, 'agent_id')}
          onChange={(agent_id) => onChange({ agent_id })}
        />
      ) : (
        <Select
          label={texts.workflowLabel}
          data={(workflows.data ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
          searchable
          allowDeselect={false}
          value={value.workflow_id === null ? null : String(value.workflow_id)}
          error={fieldError(error, 'workflow_id')}
          onChange={(id) => onChange({ workflow_id: id === null ? null : Number(id) })}
        />
      )}
      <Textarea
        label={texts.message}
        description={texts.messageHint}
        autosize
        minRows={3}
        maxRows={16}
        maxLength={100_000}
        value={value.message}
        error={fieldError(error, 'message')}
        onChange={(event) => onChange({ message: event.currentTarget.value })}
      />
      <Select
        label={texts.overlap}
        data={overlaps.map((one) => ({ value: one, label: texts.overlaps[one] }))}
        allowDeselect={false}
        value={value.overlap}
        error={fieldError(error, 'overlap')}
        onChange={(next) => next && onChange({ overlap: overlaps.find((one) => one === next) ?? value.overlap })}
      />
      <Select
        label={texts.catchUp}
        data={catchUps.map((one) => ({ value: one, label: texts.catchUps[one] }))}
        allowDeselect={false}
        value={value.catch_up}
        error={fieldError(error, 'catch_up')}
        onChange={(next) => next && onChange({ catch_up: catchUps.find((one) => one === next) ?? value.catch_up })}
      />
      <NumberInput
        label={texts.late}
        description={texts.lateHint}
        min={10}
        max={86_400}
        value={value.late_after_s}
        error={fieldError(error, 'late_after_s')}
        onChange={(next) => onChange({ late_after_s: Number(next) })}
      />
    </Stack>
  );
}
