import { Alert, List, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CircleCheck, Send, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useListings } from '../../api/choices.js';
import { answer, api, type Schema } from '../../api/client.js';
import { projectKey, useProjectId } from '../../api/project-query.js';
import { useRefresh } from '../../api/use-change.js';
import { useScope } from '../../api/session.js';
import { homeTexts } from '../../texts/home.js';
import { ActionButton } from '../../ui/action-button.js';
import { ProblemAlert } from '../../ui/notices.js';
import { ProjectLink } from '../../ui/links.js';

const texts = homeTexts.checklist;

/** Sends to the App's public URL like any sender, and opens the event. */
export function SendSample({ appId }: { appId: string }): ReactNode {
  const queryClient = useQueryClient();
  const projectId = useProjectId();
  const navigate = useNavigate();
  const maySend = useScope('apps:write');
  const send = useMutation({
    mutationFn: () => answer(api.POST('/api/v1/apps/{id}/samples', { params: { path: { id: appId } }, body: {} })),
    onSuccess: async ({ event_id: eventId }) => {
      await queryClient.invalidateQueries({ queryKey: projectKey(projectId, ['events']) });
      if (eventId) await navigate({ to: '/p/$projectId/events/$eventId', params: { projectId, eventId } });
    },
  });
  const { error = null, answer: answered = null } = send.data ?? {};
  const refused = send.isSuccess && !send.data.event_id;
  return (
    <Stack gap="xs" align="flex-start">
      <ActionButton
        leftSection={<Send size={14} aria-hidden />}
        reason={maySend ? null : texts.mayNotSend}
        loading={send.isPending}
        onClick={() => send.mutate()}
      >
        {texts.sendAction}
      </ActionButton>
      {refused && <ProblemAlert error={new Error(error?.detail ?? texts.notTaken(answered?.status ?? 0))} />}
      <ProblemAlert error={send.error} />
    </Stack>
  );
}

/** Checks whether the App works. */
export function VerifyApp({ appId }: { appId: string }): ReactNode {
  const queryClient = useQueryClient();
  const projectId = useProjectId();
  const mayVerify = useScope('apps:write');
  const verify = useMutation({
    mutationFn: () => answer(api.POST('/api/v1/apps/{id}/verify', { params: { path: { id: appId } } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: projectKey(projectId, ['events']) }),
  });
  const { data } = verify;
  const failed = data?.checks.filter(({ status }) => status === 'failed') ?? [];
  return (
    <Stack gap="xs" align="flex-start">
      <ActionButton
        variant="default"
        reason={mayVerify ? null : texts.mayNotSend}
        loading={verify.isPending}
        onClick={() => verify.mutate()}
      >
        {texts.verifyAction}
      </ActionButton>
      {data && (
        <Alert
          variant="light"
          color={data.passed ? 'teal' : 'yellow'}
          icon={data.passed ? <CircleCheck size={18} aria-hidden /> : <TriangleAlert size={18} aria-hidden />}
          title={data.passed ? texts.verified : texts.notVerified(failed.length)}
        >
          <List size="sm">
            {failed.map(({ id, sentence, what_to_do }) => (
              <List.Item key={id}>
                {sentence} {what_to_do}
              </List.Item>
            ))}
          </List>
          <ProjectLink path={`/integrations/${appId}`}>{texts.allChecks}</ProjectLink>
        </Alert>
      )}
      <ProblemAlert error={verify.error} />
    </Stack>
  );
}

/** A project that was created later has no App yet. */
export function InstallWebhook(): ReactNode {
  const refresh = useRefresh('apps');
  const mayInstall = useScope('apps:write');
  const { data: listings = [] } = useListings();
  const listing = listings.find(({ kind }) => kind === 'builtin');
  const install = useMutation({
    mutationFn: ({ slug, name, capabilities }: Schema<'ListingView'>) =>
      answer(api.POST('/api/v1/listings/{slug}/install', { params: { path: { slug } }, body: { name, capabilities } })),
    onSuccess: refresh,
  });
  return (
    <Stack gap="xs" align="flex-start">
      <Text c="dimmed">{texts.noWebhookApp}</Text>
      <ActionButton
        reason={mayInstall ? null : texts.mayNotInstall}
        loading={install.isPending}
        disabled={listing === undefined}
        onClick={() => listing && install.mutate(listing)}
      >
        {texts.installWebhook}
      </ActionButton>
      <ProblemAlert error={install.error} />
    </Stack>
  );
}
