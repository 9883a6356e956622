import { Button, Group, Kbd, Stack, Text, Textarea } from '@mantine/core';
import { Hand, Send } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useChange } from '../../api/use-change.js';
import { conversationTexts } from '../../texts/conversations.js';
import { ActionButton } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/notices.js';
import classes from '../../ui/chat.module.css';
import { AgentDraft, CannedAnswers } from './ready-words.js';
import { HandBack } from './hand-back.js';

const texts = conversationTexts.composer;

interface ComposerProps {
  session: Schema<'SessionDetailView'>;
  /** The newest turn; null: there is none. */
  lastTurnId: string | null;
}

/** Below a chat: what a person can do here now. */
export function Composer({ session, lastTurnId }: ComposerProps): ReactNode {
  return (
    <div className={classes.composer}>
      {session.status === 'taken_over' ? (
        <Write session={session} lastTurnId={lastTurnId} />
      ) : (
        <TakeOver session={session} />
      )}
    </div>
  );
}

function TakeOver({ session: { id, status } }: { session: Schema<'SessionDetailView'> }): ReactNode {
  const reason = useReason('channels:write');
  const params = { path: { id } };
  const takeOver = useChange(() => answer(api.POST('/api/v1/sessions/{id}/takeover', { params })), 'conversations');
  const resolve = useChange(() => answer(api.POST('/api/v1/sessions/{id}/resolve', { params })), 'conversations');
  const reopen = useChange(() => answer(api.POST('/api/v1/sessions/{id}/reopen', { params })), 'conversations');
  const closed = status === 'closed' ? texts.closed : null;
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" flex={1} miw={200}>
          {texts.states[status]}
        </Text>
        <Group gap="xs">
          {status === 'resolved' ? (
            <ActionButton variant="default" reason={reason} loading={reopen.isPending} onClick={() => reopen.mutate()}>
              {texts.reopen}
            </ActionButton>
          ) : (
            <ActionButton
              variant="default"
              reason={reason ?? closed}
              loading={resolve.isPending}
              onClick={() => resolve.mutate()}
            >
              {texts.resolve}
            </ActionButton>
          )}
          <ActionButton
            leftSection={<Hand size={14} aria-hidden />}
            reason={reason ?? closed}
            loading={takeOver.isPending}
            onClick={() => takeOver.mutate()}
          >
            {texts.takeOver}
          </ActionButton>
        </Group>
      </Group>
      <ProblemAlert error={takeOver.error ?? resolve.error ?? reopen.error} />
    </Stack>
  );
}

function Write({ session: { id, waiting }, lastTurnId }: ComposerProps): ReactNode {
  const reason = useReason('channels:write');
  const [text, setText] = useState('');
  // The same message under the same key is sent once, however often it is retried.
  const [key, setKey] = useState(newKey);
  const send = useChange(
    () =>
      answer(
        api.POST('/api/v1/sessions/{id}/reply', {
          params: { path: { id }, header: { 'Idempotency-Key': key } },
          body: { text },
        }),
      ),
    'conversations',
  );
  const write = (next: string): void => {
    setText(next);
    setKey(newKey());
  };
  const onSend = (): void => {
    if (text.trim() === '' || send.isPending) return;
    send.mutate(undefined, {
      onSuccess: () => {
        setText('');
        setKey(newKey());
      },
    });
  };
  return (
    <Stack gap="xs">
      <Textarea
        aria-label={texts.label}
        placeholder={texts.placeholder}
        autosize
        minRows={2}
        maxRows={10}
        maxLength={100_000}
        disabled={reason !== null}
        value={text}
        onChange={(event) => write(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) onSend();
        }}
      />
      <ProblemAlert error={send.error} />
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <HandBack sessionId={id} waiting={waiting} reason={reason} />
          <CannedAnswers written={text} onChoose={write} />
          {text === '' && lastTurnId !== null && <AgentDraft turnId={lastTurnId} onChoose={write} />}
        </Group>
        <Group gap="xs">
          <Text size="xs" c="dimmed" visibleFrom="xs">
            <Kbd size="xs">{texts.keys}</Kbd>
          </Text>
          {reason === null ? (
            <Button
              leftSection={<Send size={14} aria-hidden />}
              loading={send.isPending}
              disabled={text.trim() === ''}
              onClick={onSend}
            >
              {texts.send}
            </Button>
          ) : (
            <ActionButton reason={reason}>{texts.send}</ActionButton>
          )}
        </Group>
      </Group>
    </Stack>
  );
}

/** A random key. `crypto.randomUUID` exists over https only. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
