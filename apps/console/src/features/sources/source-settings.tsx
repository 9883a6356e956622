import { Button, Group, NumberInput, SimpleGrid, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import type { Schema } from '../../api/named-schema.js';
import { sourceTexts } from '../../texts/sources.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { errorBeside, fieldError } from '../../ui/field-errors.js';
import { NameField } from '../../ui/name-field.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { Removal } from '../../ui/removal.js';
import { SaveButton } from '../../ui/save-button.js';
import { Section } from '../../ui/section.js';
import { type Source, useSourceMutation } from './use-source.js';
import { type Who, WhoFields } from './who-fields.js';

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
