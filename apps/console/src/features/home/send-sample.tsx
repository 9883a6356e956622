import { Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { projectKey, useProjectId } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { homeTexts } from '../../texts/home.js';
import { ActionButton } from '../../ui/action-button.js';
import { ProblemAlert } from '../../ui/problem-alert.js';

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
