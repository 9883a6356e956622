import { Stack, TagsInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { modelTexts } from '../../texts/models.js';
import { uiTexts } from '../../texts/ui.js';
import { Editable } from '../../ui/editable.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { errorBeside, fieldError, ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { SaveBar } from '../../ui/save-bar.js';
import { useEditor } from '../../ui/use-editor.js';
import { ProviderKeys } from './provider-keys.js';

const texts = modelTexts.fields;
const fields = [
  'name',
  'base_url',
  'region',
  'cloud_project',
  'credential_ids',
  'models',
  'default_model',
  'transcription_model',
] as const;
/** They speak OpenAI’s way of transcribing. */
const transcribing: readonly Provider['kind'][] = ['openai', 'azure', 'mistral', 'openai-compatible'];
type Provider = Schema<'ProviderView'>;

export function ProviderEditor({ provider, etag }: { provider: Provider; etag: string | null }): ReactNode {
  const { name, base_url, region, cloud_project, credential_ids, models, default_model, transcription_model, kind } =
    provider;
  const { value, error, ...editor } = useEditor({
    saved: { name, base_url, region, cloud_project, credential_ids, models, default_model, transcription_model },
    etag,
    touched: ['providers', 'model'],
    announce: uiTexts.saved,
    save: ({ change: body }, match) =>
      answer(
        api.PATCH('/api/v1/providers/{id}', {
          params: { path: { id: provider.id }, header: { 'If-Match': match } },
          body,
        }),
      ),
  });
  const text = (field: 'base_url' | 'region' | 'cloud_project' | 'default_model' | 'transcription_model') => ({
    value: value[field] ?? '',
    error: fieldError(error, field),
    onChange: (event: { currentTarget: { value: string } }) =>
      editor.set({ [field]: event.currentTarget.value || null }),
  });
  const isVertex = kind === 'google-vertex';
  return (
    <>
      <Section title={modelTexts.settings}>
        <Editable scope="agents:write">
          <Stack gap="md" maw={620}>
            <TextInput
              label={texts.name}
              description={texts.nameHint}
              maxLength={40}
              value={value.name}
              error={fieldError(error, 'name')}
              onChange={(event) => editor.set({ name: event.currentTarget.value })}
            />
            <TextInput
              label={texts.url}
              description={texts.urlHint}
              placeholder={texts.urlDefault}
              {...text('base_url')}
            />
            {(isVertex || kind === 'amazon-bedrock') && <TextInput label={texts.region} {...text('region')} />}
            {isVertex && <TextInput label={texts.cloudProject} {...text('cloud_project')} />}
            <ProviderKeys
              name={value.name}
              chosen={value.credential_ids}
              error={fieldError(error, 'credential_ids')}
              onChange={(next) => editor.set({ credential_ids: next })}
            />
            <TagsInput
              label={texts.models}
              description={texts.modelsHint}
              data={provider.tested?.models ?? []}
              limit={20}
              value={value.models}
              error={fieldError(error, 'models')}
              onChange={(next) => editor.set({ models: next })}
            />
            <TextInput label={texts.defaultModel} description={texts.defaultHint} {...text('default_model')} />
            {transcribing.includes(kind) && (
              <TextInput
                label={texts.transcriptionModel}
                description={texts.transcriptionHint}
                maxLength={200}
                {...text('transcription_model')}
              />
            )}
          </Stack>
        </Editable>
      </Section>
      <ProblemAlert error={errorBeside(error, fields)} />
      <SaveBar {...editor.bar} />
      <EtagConflict label={modelTexts.title} {...editor.conflict} />
    </>
  );
}
