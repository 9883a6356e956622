import { Button, Group, NumberInput, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { sourceTexts } from '../../texts/sources.js';
import { ConfirmButton, Removal } from '../../ui/action-button.js';
import { errorBeside, fieldError, ProblemAlert } from '../../ui/notices.js';
import { NameField } from '../../ui/name-field.js';
import { SaveButton } from '../../ui/save-bar.js';
import { Section } from '../../ui/page.js';
import { SourceReaders } from './source-readers.js';
import { type Source, useSourceMutation } from './use-source.js';

const texts = sourceTexts.settings;
const minuteSeconds = 60;

export function SourceSettings({ source }: { source: Source }): ReactNode {
  const { id } = source;
  const projectId = useProjectId();
  const navigate = useNavigate();
  const may = useScope('apps:write');
  const [name, setName] = useState(source.name);
  const [minutes, setMinutes] = useState(source.every_seconds === null ? null : source.every_seconds / minuteSeconds);
  const [who, setWho] = useState<Who>({ trust: source.trust, audience: source.audience });
  const change = useSourceMutation((body: Schema<'ChangeSource'>) =>
    answer(api.PATCH('/api/v1/sources/{id}', { params: { path: { id } }, body })),
  );
  const remove = useSourceMutation(() =>
    answer(api.DELETE('/api/v1/sources/{id}', { params: { path: { id } } })).then(() =>
      navigate({ to: '/p/$projectId/sources', params: { projectId }, search: {} }),
    ),
  );
  if (!may) return <Text>{sourceTexts.cannotChange}</Text>;
  const saved = change.isSuccess && change.variables.state === undefined;
  const schedule = minutes === null ? { schedule_off: true } : { every_seconds: Math.round(minutes * minuteSeconds) };
  return (
    <Stack gap="md" maw={720}>
      <Section title={texts.title}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            change.mutate({ name, ...who, ...schedule });
          }}
        >
          <Stack gap="md">
            <NameField value={name} error={change.error} onChange={setName} />
            <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
              <NumberInput
                label={sourceTexts.settings.every}
                placeholder={sourceTexts.onRequest}
                min={1}
                value={minutes ?? ''}
                error={fieldError(change.error, 'every_seconds')}
                onChange={(value) => setMinutes(typeof value === 'number' ? value : null)}
              />
              <WhoFields value={who} onChange={setWho} />
            </SimpleGrid>
            <ProblemAlert error={errorBeside(change.error, ['name', 'every_seconds'])} />
            <SaveButton saving={change.isPending} saved={saved ? texts.saved : null} />
          </Stack>
        </form>
      </Section>
      <Section title={sourceTexts.readers.title}>
        <SourceReaders source={source} />
      </Section>
      <Section title={texts.state}>
        <Stack gap="md">
          <Group>
            {source.state === 'paused' ? (
              <Button loading={change.isPending} onClick={() => change.mutate({ state: 'active' })}>
                {texts.resume}
              </Button>
            ) : (
              <ConfirmButton question={texts.pauseQuestion} onConfirm={() => change.mutate({ state: 'paused' })}>
                {texts.pause}
              </ConfirmButton>
            )}
          </Group>
          <Removal
            text={texts.removeText}
            question={texts.removeQuestion(source.name)}
            action={texts.remove}
            loading={remove.isPending}
            onConfirm={() => remove.mutate(undefined)}
          />
          <ProblemAlert error={remove.error} />
        </Stack>
      </Section>
    </Stack>
  );
}

const whoTexts = sourceTexts.form;
export type Who = Pick<Source, 'trust' | 'audience'>;

/** How far its documents are trusted, and who gets answers from them. */
export function WhoFields({ value, onChange }: { value: Who; onChange: (value: Who) => void }): ReactNode {
  return (
    <>
      <Select
        label={whoTexts.trust}
        data={(['untrusted', 'owner'] as const).map((one) => ({ value: one, label: whoTexts.trusts[one] }))}
        value={value.trust}
        allowDeselect={false}
        onChange={(trust) => trust && onChange({ ...value, trust })}
      />
      <Select
        label={whoTexts.audience}
        data={(['known', 'everyone'] as const).map((one) => ({ value: one, label: whoTexts.audiences[one] }))}
        value={value.audience}
        allowDeselect={false}
        onChange={(audience) => audience && onChange({ ...value, audience })}
      />
    </>
  );
}
