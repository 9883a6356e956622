import { Checkbox, Group, NumberInput, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useScope } from '../../api/session.js';
import { type Tagged, useGuardedEdit } from '../../api/use-guarded-edit.js';
import { integrationTexts } from '../../texts/integrations.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { errorBeside, fieldError } from '../../ui/field-errors.js';
import { NameField } from '../../ui/name-field.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { SaveButton } from '../../ui/save-button.js';
import { Section } from '../../ui/section.js';
import { AppLifecycle } from './app-lifecycle.js';
import { RotateUrl } from './rotate-url.js';
import { type App, readApp, saveApp, useRefreshApps } from './use-app-change.js';

const texts = integrationTexts.settings;
const kib = 1_024;
const capabilities = ['receive', 'send'] as const;

export default function AppSettings({ shown }: { shown: Tagged<App> }): ReactNode {
  const app = shown.data;
  const may = useScope('apps:write');
  if (!may) return <Text>{integrationTexts.cannotChange}</Text>;
  return (
    <Stack gap="md" maw={720}>
      <Section title={texts.title}>
        <Limits shown={shown} />
      </Section>
      {app.capabilities.includes('receive') && (
        <Section title={texts.rotate}>
          <RotateUrl app={app} />
        </Section>
      )}
      <Section title={texts.state}>
        <AppLifecycle app={app} />
      </Section>
    </Stack>
  );
}

const valuesOf = ({ name, max_body_bytes, capabilities: can }: App) => ({
  name,
  max_body_bytes,
  capabilities: capabilities.filter((one) => can.includes(one)),
});

function Limits({ shown }: { shown: Tagged<App> }): ReactNode {
  // The state when the form opened: data fetched later must not count as what the person saw.
  const [base] = useState(shown);
  const [values, setValues] = useState(() => valuesOf(base.data));
  const [saved, setSaved] = useState(false);
  const refresh = useRefreshApps();
  const { id } = base.data;
  const edit = useGuardedEdit({
    base,
    toValues: valuesOf,
    read: () => readApp(id),
    save: (sent: ReturnType<typeof valuesOf>, etag) => saveApp(id, sent, etag),
    onTheirs: setValues,
    onSaved: () => {
      setSaved(true);
      void refresh();
    },
  });
  const set = (part: Partial<typeof values>): void => {
    setSaved(false);
    setValues((before) => ({ ...before, ...part }));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        edit.save(values);
      }}
    >
      <Stack gap="md">
        <NameField value={values.name} error={edit.error} onChange={(name) => set({ name })} />
        <NumberInput
          label={texts.maxBody}
          min={1}
          max={25 * kib}
          maw={240}
          value={values.max_body_bytes / kib}
          error={fieldError(edit.error, 'max_body_bytes')}
          onChange={(value) => typeof value === 'number' && set({ max_body_bytes: Math.round(value * kib) })}
        />
        <Checkbox.Group
          label={integrationTexts.installing.capabilities}
          value={values.capabilities}
          onChange={(chosen) => set({ capabilities: capabilities.filter((one) => chosen.includes(one)) })}
        >
          <Group mt={6}>
            {capabilities.map((one) => (
              <Checkbox key={one} value={one} label={integrationTexts.capabilities[one]} />
            ))}
          </Group>
        </Checkbox.Group>
        <ProblemAlert error={errorBeside(edit.error, ['name', 'max_body_bytes'])} />
        <SaveButton saving={edit.saving} saved={saved ? texts.saved : null} />
      </Stack>
      <EtagConflict label={texts.conflict} {...edit.conflict} />
    </form>
  );
}
