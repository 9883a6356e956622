import { Anchor, List, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { signatureTexts } from '../../texts/app-signatures.js';

const texts = signatureTexts.sender;

export type Sender = Schema<'WebhookSenderView'>;

/** What a person does at a sender, in order, and where it says so itself. */
export function SenderSteps({ sender }: { sender: Sender }): ReactNode {
  return (
    <Stack gap="xs">
      <List type="ordered" size="sm" spacing={4} aria-label={texts.steps(sender.name)}>
        {sender.setup.map((step) => (
          <List.Item key={step}>{step}</List.Item>
        ))}
      </List>
      {sender.note !== null && <Text size="sm">{sender.note}</Text>}
      <Anchor size="sm" href={sender.source} target="_blank" rel="noreferrer">
        {texts.page}
      </Anchor>
    </Stack>
  );
}
