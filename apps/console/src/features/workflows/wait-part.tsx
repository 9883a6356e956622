import { Checkbox, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useApps } from '../../api/choices.js';
import { stepTexts } from '../../texts/workflow-steps.js';
import { AboutField } from '../../ui/about.js';
import { Condition, Minutes, Targets } from './step-answers.js';
import { errorAt } from './step-drafts.js';
import type { StepFormProps } from './step-form-props.js';

const texts = stepTexts.fields;
const outcomes = (['fail', 'go_on'] as const).map((value) => ({ value, label: texts.onTimeouts[value] }));

/** For which event a run waits, how long, and what then. */
export function WaitPart(props: StepFormProps): ReactNode {
  const { step, errors, onChange } = props;
  const { data: apps = [] } = useApps();
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={texts.eventApp}
          description={texts.eventAppHint}
          placeholder={texts.anyApp}
          searchable
          clearable
          data={apps.map(({ id, name }) => ({ value: id, label: name }))}
          value={step.app_id ?? null}
          error={errorAt(errors, 'app_id')}
          onChange={(next) => onChange({ app_id: next ?? undefined })}
        />
        <TextInput
          label={texts.eventType}
          description={texts.eventTypeHint}
          maxLength={480}
          value={step.event_type ?? ''}
          error={errorAt(errors, 'event_type')}
          onChange={(event) => onChange({ event_type: event.currentTarget.value || undefined })}
        />
      </SimpleGrid>
      <AboutField topic="eventWaits" label={texts.eventWhere}>
        <Condition
          {...props}
          label={texts.eventWhere}
          hint={texts.eventWhereHint}
          onChange={({ where }) => onChange({ where: where || undefined })}
        />
      </AboutField>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Minutes {...props} label={texts.eventWait} hint={texts.eventWaitHint} />
        <Select
          label={texts.onTimeout}
          description={texts.onTimeoutHint}
          allowDeselect={false}
          data={outcomes}
          value={step.on_timeout ?? 'fail'}
          error={errorAt(errors, 'on_timeout')}
          onChange={(next) => onChange({ on_timeout: next ?? undefined })}
        />
      </SimpleGrid>
      <Stack gap="xs">
        <Checkbox
          label={texts.sinceBegin}
          description={texts.sinceBeginHint}
          checked={step.since_begin ?? false}
          onChange={(event) => onChange({ since_begin: event.currentTarget.checked || undefined })}
        />
        <Checkbox
          label={texts.consume}
          description={texts.consumeHint}
          checked={step.consume ?? false}
          onChange={(event) => onChange({ consume: event.currentTarget.checked || undefined })}
        />
      </Stack>
      <Targets {...props} />
    </>
  );
}
