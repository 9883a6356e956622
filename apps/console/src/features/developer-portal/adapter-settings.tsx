import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { developerPortalTexts } from '../../texts/developer-portal.js';
import { ConfirmButton, Removal } from '../../ui/action-button.js';
import { errorBeside, fieldError, ProblemAlert } from '../../ui/notices.js';
import { SaveButton } from '../../ui/save-bar.js';
import { Section } from '../../ui/page.js';
import { type Adapter, useAdapterMutation } from './use-adapter.js';

const texts = developerPortalTexts.settings;

export function AdapterSettings({ adapter }: { adapter: Adapter }): ReactNode {
  const { id } = adapter;
  const projectId = useProjectId();
  const navigate = useNavigate();
  const may = useScope('apps:write');
  const [name, setName] = useState(adapter.name === adapter.manifest.name ? '' : adapter.name);
  const [url, setUrl] = useState(adapter.base_url ?? '');
  const change = useAdapterMutation((body: Schema<'ChangeAdapter'>) =>
    answer(api.PATCH('/api/v1/adapters/{id}', { params: { path: { id } }, body })),
  );
  const remove = useAdapterMutation(() =>
    answer(api.DELETE('/api/v1/adapters/{id}', { params: { path: { id } } })).then(() =>
      navigate({ to: '/p/$projectId/developer-portal', params: { projectId }, search: {} }),
    ),
  );
  if (!may) return <Text>{developerPortalTexts.cannotChange}</Text>;
  const saved = change.isSuccess && change.variables.disabled === undefined;
  return (
    <Stack gap="md" maw={720}>
      <Section title={texts.title}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            change.mutate({ name: name.trim() || null, ...(url !== (adapter.base_url ?? '') && { url }) });
          }}
        >
          <Stack gap="md">
            <TextInput
              label={texts.name}
              description={texts.nameHint}
              placeholder={adapter.manifest.name}
              value={name}
              error={fieldError(change.error, 'name')}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            {adapter.base_url && (
              <TextInput
                label={texts.url}
                description={texts.urlHint}
                type="url"
                value={url}
                error={fieldError(change.error, 'url')}
                onChange={(event) => setUrl(event.currentTarget.value)}
              />
            )}
            <ProblemAlert error={errorBeside(change.error, ['name', 'url'])} />
            <SaveButton saving={change.isPending} saved={saved ? texts.saved : null} />
          </Stack>
        </form>
      </Section>
      <Section title={texts.state}>
        <Stack gap="md">
          {adapter.base_url && (
            <Group>
              {adapter.disabled ? (
                <Button loading={change.isPending} onClick={() => change.mutate({ disabled: false })}>
                  {texts.enable}
                </Button>
              ) : (
                <ConfirmButton
                  question={texts.disableQuestion}
                  loading={change.isPending}
                  onConfirm={() => change.mutate({ disabled: true })}
                >
                  {texts.disable}
                </ConfirmButton>
              )}
            </Group>
          )}
          <Removal
            text={texts.removeText}
            question={texts.removeQuestion(adapter.name)}
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
