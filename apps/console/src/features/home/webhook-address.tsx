import { Input, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { homeTexts } from '../../texts/home.js';
import { CodeBlock } from '../../ui/code-block.js';
import { CopyField } from '../../ui/copy-field.js';

const texts = homeTexts.checklist;

/** Where to send to, and a command that does. @param url null: this person may not see it */
export function WebhookAddress({ url }: { url: string | null }): ReactNode {
  if (!url) return <Text c="dimmed">{texts.hiddenUrl}</Text>;
  const body = JSON.stringify({ text: texts.sample });
  const curl = `curl -X POST '${url}' \\\n  -H 'content-type: application/json' \\\n  -d '${body}'`;
  return (
    <Stack gap="sm">
      <CopyField label={texts.url} value={url} />
      <Input.Wrapper label={texts.curl} labelElement="div">
        <CodeBlock code={curl} label={texts.curl} />
      </Input.Wrapper>
    </Stack>
  );
}
