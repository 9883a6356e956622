import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { useRefresh } from '../../api/use-change.js';
import { integrationTexts } from '../../texts/integrations.js';
import { ConfirmButton, Removal } from '../../ui/action-button.js';
import { CopyField } from '../../ui/copy.js';
import { ProblemAlert } from '../../ui/notices.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { type App, touched, useAppChange } from './use-app.js';

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

const graces = ['0', '3600', '86400', '604800'] as const;

/** Creates a new Webhook URL. The old one keeps working for a while. */
export function RotateUrl({ app }: { app: App }): ReactNode {
  const refresh = useRefresh(...touched);
  const [grace, setGrace] = useState<(typeof graces)[number]>('86400');
  const rotate = useMutation({
    mutationFn: () =>
      answer(
        api.POST('/api/v1/apps/{id}/rotate-token', {
          params: { path: { id: app.id } },
          body: { grace_seconds: Number(grace) },
        }),
      ),
    onSuccess: refresh,
  });
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {texts.rotateText}
      </Text>
      <Group align="flex-end">
        <Select
          label={texts.rotateGrace}
          data={graces.map((value) => ({ value, label: texts.graces[value] }))}
          value={grace}
          allowDeselect={false}
          onChange={(chosen) => chosen && setGrace(chosen)}
        />
        <ConfirmButton question={texts.rotateText} loading={rotate.isPending} onConfirm={() => rotate.mutate()}>
          {texts.rotateAction}
        </ConfirmButton>
      </Group>
      <ProblemAlert error={rotate.error} />
      {rotate.isSuccess && app.webhook_url && <CopyField label={texts.rotated} value={app.webhook_url} />}
    </Stack>
  );
}
