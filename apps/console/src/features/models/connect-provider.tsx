import { MultiSelect, PasswordInput, Select, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useCredentials } from '../../api/choices.js';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { useRefresh } from '../../api/use-change.js';
import { modelTexts } from '../../texts/models.js';
import { FormModal } from '../../ui/dialog.js';
import { fieldError } from '../../ui/notices.js';
import { storedKey } from './provider-keys.js';

const texts = modelTexts.fields;
const empty = {
  preset: 'openai',
  name: 'openai',
  url: '',
  region: '',
  cloudProject: '',
  key: '',
  credentialIds: [] as string[],
  defaultModel: '',
};
type Values = typeof empty;
type Preset = Schema<'PresetView'>;

/** Connects a provider: what its preset does not know is asked. A pasted key becomes a credential. */
export function ConnectProvider({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh('providers', 'credentials', 'model');
  const mayReadKeys = useScope('credentials:read');
  const mayWriteKeys = useScope('credentials:write');
  const { data: credentials = [] } = useCredentials(opened && mayReadKeys);
  const { data: presets } = useProjectQuery(
    ['provider-presets'],
    (signal) => answer(api.GET('/api/v1/providers/presets', { signal })),
    { enabled: opened },
  );
  const [value, setValue] = useState(empty);
  const change = (patch: Partial<Values>): void => setValue((before) => ({ ...before, ...patch }));
  const preset = presets?.data.find(({ id }) => id === value.preset);
  const needs = (what: Preset['needs'][number]): boolean => preset?.needs.includes(what) ?? false;
  const connect = useMutation({
    mutationFn: (chosen: Preset) => connected(value, chosen, change),
    onSuccess: (providerId) => {
      void refresh();
      void navigate({ to: '/p/$projectId/models/$providerId', params: { projectId, providerId } });
    },
  });
  const { error } = connect;
  const field = (
    name: keyof Values & ('name' | 'url' | 'region' | 'cloudProject' | 'defaultModel'),
    apiName: string,
  ) => ({
    value: value[name],
    error: fieldError(error, apiName),
    onChange: (event: { currentTarget: { value: string } }) => change({ [name]: event.currentTarget.value }),
  });
  return (
    <FormModal
      opened={opened}
      title={modelTexts.connect}
      submit={modelTexts.connectAction}
      size="lg"
      saving={connect.isPending}
      error={error}
      fields={['name', 'base_url', 'region', 'cloud_project', 'credential_ids', 'default_model']}
      ready={preset !== undefined && value.name !== ''}
      onSubmit={() => preset && connect.mutate(preset)}
      onClose={onClose}
    >
      <Select
        label={texts.preset}
        allowDeselect={false}
        searchable
        data={presets?.data.map(({ id, name }) => ({ value: id, label: name })) ?? []}
        value={value.preset}
        onChange={(id) => {
          const next = presets?.data.find((one) => one.id === id);
          if (next) change({ preset: next.id, name: next.id === 'other' ? '' : next.id, url: next.base_url ?? '' });
        }}
      />
      <TextInput label={texts.name} description={texts.nameHint} required maxLength={40} {...field('name', 'name')} />
      <TextInput
        label={texts.url}
        description={texts.urlHint}
        type="url"
        required={needs('base_url')}
        placeholder={texts.urlDefault}
        {...field('url', 'base_url')}
      />
      {needs('region') && <TextInput label={texts.region} required {...field('region', 'region')} />}
      {needs('cloud_project') && (
        <TextInput label={texts.cloudProject} required {...field('cloudProject', 'cloud_project')} />
      )}
      {mayWriteKeys && (
        <PasswordInput
          label={texts.key}
          description={texts.keyHint}
          autoComplete="off"
          value={value.key}
          onChange={(event) => change({ key: event.currentTarget.value })}
        />
      )}
      {mayReadKeys && (
        <MultiSelect
          label={texts.keys}
          description={texts.keysHint}
          searchable
          data={credentials.map(({ id, name }) => ({ value: id, label: name }))}
          value={value.credentialIds}
          error={fieldError(error, 'credential_ids')}
          onChange={(credentialIds) => change({ credentialIds })}
        />
      )}
      <TextInput
        label={texts.defaultModel}
        description={texts.defaultHint}
        {...field('defaultModel', 'default_model')}
      />
    </FormModal>
  );
}

async function connected(value: Values, preset: Preset, change: (patch: Partial<Values>) => void): Promise<string> {
  const credential_ids = [...value.credentialIds];
  if (value.key !== '') {
    credential_ids.push(await storedKey(value.name, value.key));
    // A refusal of what follows leaves the credential: the next try uses it.
    change({ key: '', credentialIds: credential_ids });
  }
  const { id } = await answer(
    api.POST('/api/v1/providers', {
      body: {
        name: value.name,
        kind: preset.kind,
        base_url: value.url || null,
        region: value.region || null,
        cloud_project: value.cloudProject || null,
        credential_ids,
        default_model: value.defaultModel || null,
      },
    }),
  );
  return id;
}
