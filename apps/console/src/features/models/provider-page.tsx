import { Badge, Skeleton, Stack, TextInput } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, answerWithEtag, api, type Schema } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useChange } from '../../api/use-change.js';
import { modelTexts } from '../../texts/models.js';
import { uiTexts } from '../../texts/ui.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { Editable } from '../../ui/editable.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { errorBeside, fieldError, ProblemAlert } from '../../ui/notices.js';
import { Page, Section } from '../../ui/page.js';
import { SaveBar } from '../../ui/save-bar.js';
import { useEditor } from '../../ui/use-editor.js';
import { ProviderTest } from './provider-test.js';

const route = getRouteApi('/p/$projectId/models/$providerId');
const texts = modelTexts.fields;

export function ProviderPage(): ReactNode {
  const { projectId, providerId } = route.useParams();
  const { data, error, refetch } = useProjectQuery(['providers', providerId], (signal) =>
    answerWithEtag(api.GET('/api/v1/providers/{id}', { params: { path: { id: providerId } }, signal })),
  );
  const provider = data?.data;
  return (
    <Page
      title={provider?.name ?? modelTexts.title}
      mark={provider && <Badge variant="default">{provider.kind}</Badge>}
      breadcrumbs={[{ label: modelTexts.title, to: { to: '/p/$projectId/models', params: { projectId } } }]}
      actions={provider && <DeleteProvider id={provider.id} />}
    >
      {error && !provider && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!provider && !error && <Skeleton height={300} />}
      {data && (
        <Stack gap="md">
          <ProviderEditor key={providerId} provider={data.data} etag={data.etag} />
          <ProviderTest provider={data.data} />
        </Stack>
      )}
    </Page>
  );
}

function DeleteProvider({ id }: { id: string }): ReactNode {
  const { projectId } = route.useParams();
  const navigate = useNavigate();
  const remove = useChange(async () => {
    await answer(api.DELETE('/api/v1/providers/{id}', { params: { path: { id } } }));
    await navigate({ to: '/p/$projectId/models', params: { projectId } });
  }, 'providers');
  return (
    <Editable scope="agents:write">
      <ConfirmButton question={modelTexts.removeQuestion} loading={remove.isPending} onConfirm={() => remove.mutate()}>
        {modelTexts.remove}
      </ConfirmButton>
      <ProblemAlert error={remove.error} />
    </Editable>
  );
}

function ProviderEditor({ provider, etag }: { provider: Schema<'ProviderView'>; etag: string | null }): ReactNode {
  const { base_url, default_model } = provider;
  const editor = useEditor({
    saved: { base_url, default_model },
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
  return (
    <>
      <Section title={modelTexts.settings}>
        <Editable scope="agents:write">
          <Stack gap="md" maw={620}>
            <TextInput
              label={texts.url}
              description={texts.urlHint}
              placeholder={texts.urlDefault}
              value={editor.value.base_url ?? ''}
              error={fieldError(editor.error, 'base_url')}
              onChange={(event) => editor.set({ base_url: event.currentTarget.value || null })}
            />
            <TextInput
              label={texts.defaultModel}
              description={texts.defaultHint}
              value={editor.value.default_model ?? ''}
              error={fieldError(editor.error, 'default_model')}
              onChange={(event) => editor.set({ default_model: event.currentTarget.value || null })}
            />
          </Stack>
        </Editable>
      </Section>
      <ProblemAlert error={errorBeside(editor.error, ['base_url', 'default_model'])} />
      <SaveBar {...editor.bar} />
      <EtagConflict label={modelTexts.title} {...editor.conflict} />
    </>
  );
}
