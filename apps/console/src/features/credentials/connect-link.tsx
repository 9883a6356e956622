import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { credentialTexts } from '../../texts/credentials.js';
import { uiTexts } from '../../texts/ui.js';
import { CopyField } from '../../ui/copy-field.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { When } from '../../ui/when.js';

const texts = credentialTexts.oauth;

/** A link with which somebody without an account here connects theirs. */
export function ConnectLink({ id }: { id: string }): ReactNode {
  const make = useMutation({
    mutationFn: () =>
      answer(api.POST('/api/v1/credentials/{id}/connect-links', { params: { path: { id } }, body: {} })),
  });
  return (
    <>
      <Button size="compact-sm" variant="default" loading={make.isPending} onClick={() => make.mutate()}>
        {texts.link}
      </Button>
      <Modal opened={!make.isIdle && !make.isPending} onClose={() => make.reset()} title={texts.linkTitle} centered>
        <Stack gap="md">
          <ProblemAlert error={make.error} />
          {make.data && (
            <>
              <Text size="sm">{texts.linkText}</Text>
              <CopyField label={texts.linkLabel} value={make.data.url} />
              <Text size="sm" c="dimmed">
                {texts.linkUntil} <When at={make.data.expires_at} />
              </Text>
            </>
          )}
          <Group justify="flex-end">
            <Button onClick={() => make.reset()}>{uiTexts.done}</Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
