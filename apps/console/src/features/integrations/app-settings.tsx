import { Checkbox, Group, NumberInput, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Tagged } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import { integrationTexts } from '../../texts/integrations.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { errorBeside, fieldError, ProblemAlert } from '../../ui/notices.js';
import { NameField } from '../../ui/name-field.js';
import { SaveButton } from '../../ui/save-bar.js';
import { Section } from '../../ui/page.js';
import { useEditor } from '../../ui/use-editor.js';
import { AppLifecycle, RotateUrl } from './app-lifecycle.js';
import { type App, saveApp, touched } from './use-app.js';

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

function Limits({ shown: { data, etag } }: { shown: Tagged<App> }): ReactNode {
  const edit = useEditor({
    saved: valuesOf(data),
    etag,
    touched,
    save: ({ value }, match) => saveApp(data.id, value, match),
  });
  const { value: values, set } = edit;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        edit.save();
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
        <SaveButton saving={edit.saving} saved={edit.saved ? texts.saved : null} />
      </Stack>
      <EtagConflict label={texts.conflict} {...edit.conflict} />
    </form>
  );
}
