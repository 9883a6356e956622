import { Group, Select, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { integrationTexts } from '../../texts/integrations.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { CopyField } from '../../ui/copy-field.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { useRefresh } from '../../api/use-change.js';
import { type App, touched } from './use-app-change.js';

const texts = integrationTexts.settings;
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
