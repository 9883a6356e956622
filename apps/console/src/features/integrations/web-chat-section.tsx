import { Button, Input, Stack, Switch, Text, TextInput } from '@mantine/core';
import { ExternalLink } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { webChatTexts } from '../../texts/web-chat.js';
import { CodeBlock } from '../../ui/code-block.js';
import { Section } from '../../ui/page.js';
import type { App } from './use-app.js';

const texts = webChatTexts.pages;

/** In an attribute of HTML. */
const quoted = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** What a page of one's own contains to have the chat, and how that looks. */
export function WebChatSection({ app }: { app: App }): ReactNode {
  const [title, setTitle] = useState<string>(texts.defaultTitle);
  const [signed, setSigned] = useState(false);
  const script = `<script src="${location.origin}/web-chat.js" data-app="${app.id}" data-title="${quoted(title)}" async></script>`;
  const snippet = signed ? `${texts.tokenScript}\n${script}` : script;
  const preview = `/web-chat-preview.html?${new URLSearchParams({ app: app.id, title }).toString()}`;
  return (
    <Section
      title={texts.title}
      actions={
        <Button
          component="a"
          href={preview}
          target="_blank"
          rel="noreferrer"
          size="compact-sm"
          variant="default"
          rightSection={<ExternalLink size={14} aria-hidden />}
        >
          {texts.preview}
        </Button>
      }
    >
      <Stack gap="sm">
        <TextInput
          label={texts.words}
          maxLength={60}
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
        <Switch label={texts.signed} checked={signed} onChange={(event) => setSigned(event.currentTarget.checked)} />
        <Input.Wrapper label={texts.snippet} labelElement="div">
          <CodeBlock code={snippet} label={texts.snippet} wrap />
        </Input.Wrapper>
        <Text size="sm" c="dimmed">
          {texts.hint}
        </Text>
      </Stack>
    </Section>
  );
}
