import { Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useApps } from '../../api/choices.js';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import { sourceTexts } from '../../texts/sources.js';
import { DialogButtons } from '../../ui/dialog.js';
import { errorBeside, fieldError, ProblemAlert } from '../../ui/notices.js';
import { NameField } from '../../ui/name-field.js';
import { useSourceMutation } from './use-source.js';
import { type Who, WhoFields } from './source-settings.js';

const texts = sourceTexts.form;
const fields = ['app_id', 'name', 'resource_path', 'every_seconds'];

/** Apps of adapters, those whose manifest mentions documents first. A manifest need not mention them. */
function useAppsOfAdapters(): Schema<'AppView'>[] | undefined {
  const { data: apps } = useApps();
  const { data: adapters } = useProjectQuery(
    ['adapters', 'all'],
    async (signal) => (await answer(api.GET('/api/v1/adapters', { signal }))).data,
  );
  const having = new Set(adapters?.filter(({ manifest }) => manifest.sources).map(({ id }) => id));
  return (
    adapters &&
    apps
      ?.filter(({ adapter_id, state }) => adapter_id !== null && state !== 'retired')
      .toSorted((a, b) => Number(having.has(b.adapter_id ?? '')) - Number(having.has(a.adapter_id ?? '')))
  );
}

export function AddSource({ onClose }: { onClose: () => void }): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const apps = useAppsOfAdapters();
  const [appId, setAppId] = useState<string | null>(null);
  const [name, setName] = useState('');
  const [path, setPath] = useState('');
  const [every, setEvery] = useState<keyof typeof texts.everys>('3600');
  const [who, setWho] = useState<Who>({
    trust: 'untrusted',
    audience: 'known',
  });
  const chosen = appId ?? (apps?.length === 1 ? (apps[0]?.id ?? null) : null);
  const add = useSourceMutation(() =>
    answer(
      api.POST('/api/v1/sources', {
        body: {
          app_id: chosen ?? '',
          name,
          resource_path: path,
          ...(every !== '' && { every_seconds: Number(every) }),
          ...who,
        },
      }),
    ),
  );
  if (apps?.length === 0) return <Text>{sourceTexts.noAdapter}</Text>;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate(undefined, {
          onSuccess: ({ id }) =>
            void navigate({ to: '/p/$projectId/sources/$sourceId', params: { projectId, sourceId: id } }),
        });
      }}
    >
      <Stack gap="md">
        <Select
          label={texts.app}
          required
          data={apps?.map((app) => ({ value: app.id, label: app.name })) ?? []}
          placeholder={texts.choose}
          value={chosen}
          allowDeselect={false}
          error={fieldError(add.error, 'app_id')}
          onChange={setAppId}
        />
        <NameField first value={name} error={add.error} onChange={setName} />
        <TextInput
          label={texts.path}
          description={texts.pathHint}
          required
          value={path}
          error={fieldError(add.error, 'resource_path')}
          onChange={(event) => setPath(event.currentTarget.value)}
        />
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
          <EverySelect value={every} onChange={setEvery} error={fieldError(add.error, 'every_seconds')} />
          <WhoFields value={who} onChange={setWho} />
        </SimpleGrid>
        <ProblemAlert error={errorBeside(add.error, fields)} />
        <DialogButtons action={texts.submit} loading={add.isPending} disabled={!chosen} onCancel={onClose} />
      </Stack>
    </form>
  );
}

interface EverySelectProps {
  value: keyof typeof texts.everys;
  onChange: (value: keyof typeof texts.everys) => void;
  error: string | undefined;
}

function EverySelect({ value, onChange, error }: EverySelectProps): ReactNode {
  return (
    <Select
      label={texts.every}
      data={(['', '900', '3600', '86400'] as const).map((one) => ({ value: one, label: texts.everys[one] }))}
      value={value}
      allowDeselect={false}
      error={error}
      onChange={(chosen) => chosen !== null && onChange(chosen)}
    />
  );
}
