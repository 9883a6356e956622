import { Button, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { integrationTexts } from '../../texts/integrations.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { Removal } from '../../ui/removal.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { useRefresh } from '../../api/use-change.js';
import { type App, useAppChange, touched } from './use-app-change.js';

const texts = integrationTexts.settings;

/** Pause, disable or delete the App. */
export function AppLifecycle({ app }: { app: App }): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh(...touched);
  const change = useAppChange(app.id);
  const remove = useMutation({
    mutationFn: () => answer(api.DELETE('/api/v1/apps/{id}', { params: { path: { id: app.id } } })),
    onSuccess: async () => {
      await navigate({ to: '/p/$projectId/integrations', params: { projectId }, search: {} });
      await refresh();
    },
  });
  const set = (state: 'active' | 'paused' | 'disabled') => () => change.mutate({ state });
  return (
    <Stack gap="md">
      <Group>
        <StatusBadge status={app.state} />
        {app.state === 'active' && (
          <ConfirmButton question={texts.pauseQuestion} loading={change.isPending} onConfirm={set('paused')}>
            {texts.pause}
          </ConfirmButton>
        )}
        {app.state === 'paused' && (
          <Button loading={change.isPending} onClick={set('active')}>
            {texts.resume}
          </Button>
        )}
        {app.state === 'disabled' ? (
          <Button loading={change.isPending} onClick={set('active')}>
            {texts.enable}
          </Button>
        ) : (
          <ConfirmButton question={texts.disableQuestion} loading={change.isPending} onConfirm={set('disabled')}>
            {texts.disable}
          </ConfirmButton>
        )}
      </Group>
      <Removal
        text={texts.deleteText}
        question={texts.deleteQuestion(app.name)}
        action={texts.delete}
        loading={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
      <ProblemAlert error={change.error ?? remove.error} />
    </Stack>
  );
}
