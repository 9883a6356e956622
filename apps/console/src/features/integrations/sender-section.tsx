import { Button, Group, Stack, Text } from '@mantine/core';
import { lazy, type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { signatureTexts } from '../../texts/app-signatures.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { OnceOpened } from '../../ui/later.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { SenderSteps } from './sender-steps.js';
import { type App, useAppChange } from './use-app.js';

const SenderForm = lazy(() => import('./sender-form.js'));

const texts = signatureTexts.sender;

/** Which well-known sender the Webhook App is set up for, and what to do there. */
export function SenderSection({ app }: { app: App }): ReactNode {
  const may = useScope('apps:write') && useScope('credentials:write');
  const [choosing, setChoosing] = useState(false);
  const change = useAppChange(app.id);
  const { data: senders } = useProjectQuery(['webhook-senders'], async (signal) => {
    const page = await answer(api.GET('/api/v1/listings/webhook/senders', { signal }));
    return page.data;
  });
  const sender = senders?.find(({ id }) => id === app.sender);
  return (
    <Section
      title={texts.title}
      actions={
        may && (
          <Group gap="xs">
            {app.sender !== null && (
              <ConfirmButton
                size="compact-sm"
                question={texts.removeQuestion}
                loading={change.isPending}
                onConfirm={() => change.mutate({ sender: null })}
              >
                {texts.remove}
              </ConfirmButton>
            )}
            <Button
              size="compact-sm"
              variant={app.sender === null ? 'filled' : 'default'}
              onClick={() => setChoosing(true)}
            >
              {app.sender === null ? texts.choose : texts.change}
            </Button>
          </Group>
        )
      }
    >
      <Stack gap="md">
        <Text>{app.sender === null ? texts.none : texts.chosen(sender?.name ?? app.sender)}</Text>
        {sender && <SenderSteps sender={sender} />}
        <ProblemAlert error={change.error} />
      </Stack>
      {may && senders && (
        <OnceOpened opened={choosing}>
          <SenderForm app={app} senders={senders} opened={choosing} onClose={() => setChoosing(false)} />
        </OnceOpened>
      )}
    </Section>
  );
}
