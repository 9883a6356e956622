import { Badge, Skeleton, Stack } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, answerWithEtag, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useChange } from '../../api/use-change.js';
import { modelTexts } from '../../texts/models.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { Editable } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Page } from '../../ui/page.js';
import { ProviderEditor } from './provider-editor.js';
import { ProviderPrices } from './provider-prices.js';
import { ProviderTest } from './provider-test.js';

const route = getRouteApi('/p/$projectId/models/$providerId');

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
          <ProviderPrices prices={data.data.prices} />
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
