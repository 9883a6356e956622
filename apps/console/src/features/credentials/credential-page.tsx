import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { credentialStatus } from '../../api/choices.js';
import { useScope } from '../../api/session.js';
import { credentialTexts } from '../../texts/credentials.js';
import { ConnectOutcome } from '../../ui/connect-outcome.js';
import { Page } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/notices.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { type UrlTab, UrlTabs } from '../../ui/url-tabs.js';
import { CredentialHistory } from './credential-history.js';
import { CredentialOverview } from './credential-overview.js';
import type { CredentialTab } from './routes.js';
import { CredentialUses } from './credential-uses.js';
import { DeleteCredential, EditCredential } from './edit-credential.js';
import { useCredential, useCredentialMutation } from './use-credential.js';

const route = getRouteApi('/p/$projectId/credentials/$credentialId');
const texts = credentialTexts.one;

export function CredentialPage(): ReactNode {
  const { projectId, credentialId } = route.useParams();
  const { tab, edit, outcome, flow, code } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/credentials/$credentialId' });
  const may = useScope('credentials:write');
  const { data: shown, error, refetch } = useCredential(credentialId);
  const verify = useCredentialMutation(() =>
    answer(api.POST('/api/v1/credentials/{id}/verify', { params: { path: { id: credentialId } } })),
  );
  const credential = shown?.data;
  const edits = (open: boolean): void =>
    void navigate({ search: (before) => ({ ...before, edit: open || undefined }) });
  const tabs = (): UrlTab<CredentialTab>[] =>
    credential
      ? [
          {
            value: 'overview',
            label: texts.tabs.overview,
            content: <CredentialOverview credential={credential} verified={verify.data} />,
          },
          { value: 'uses', label: texts.tabs.uses, content: <CredentialUses credential={credential} /> },
          { value: 'history', label: texts.tabs.history, content: <CredentialHistory id={credentialId} /> },
        ]
      : [];
  return (
    <Page
      title={credential?.name ?? credentialTexts.title}
      mark={credential && <StatusBadge status={credentialStatus(credential.status)} />}
      description={credential?.reason}
      breadcrumbs={[{ label: credentialTexts.title, to: { to: '/p/$projectId/credentials', params: { projectId } } }]}
      actions={
        credential &&
        may && (
          <Group gap="xs">
            {credential.adapter_slug && (
              <Button variant="default" loading={verify.isPending} onClick={() => verify.mutate(undefined)}>
                {texts.verify}
              </Button>
            )}
            <Button variant="default" onClick={() => edits(true)}>
              {texts.rename}
            </Button>
            <DeleteCredential credential={credential} />
          </Group>
        )
      }
    >
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!credential && !error && <Skeleton height={320} />}
      {shown && credential && (
        <Stack gap="md">
          <ProblemAlert error={verify.error} />
          {outcome && (
            <ConnectOutcome
              credentialId={credentialId}
              outcome={outcome}
              flow={flow}
              code={code}
              onDone={() => void navigate({ search: { tab }, replace: true })}
            />
          )}
          <UrlTabs
            label={texts.sections}
            tabs={tabs()}
            value={tab ?? 'overview'}
            onChange={(name) => void navigate({ search: { tab: name } })}
          />
          {edit && may && <EditCredential shown={shown} onClose={() => edits(false)} />}
        </Stack>
      )}
    </Page>
  );
}
