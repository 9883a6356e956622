import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { MessageSquareText, PencilLine, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { useChange } from '../../api/use-change.js';
import { conversationTexts } from '../../texts/conversations.js';
import { LaterPopover } from '../../ui/later.js';
import { ProblemAlert } from '../../ui/notices.js';

const texts = conversationTexts.composer;

interface Choice {
  onChoose: (text: string) => void;
}

/** Answers that are ready, to begin with; what is written can become one. */
export function CannedAnswers({ written, onChoose }: Choice & { written: string }): ReactNode {
  return (
    <LaterPopover
      withArrow
      width={320}
      position="top-start"
      button={(onPress) => (
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<MessageSquareText size={14} aria-hidden />}
          onClick={onPress}
        >
          {texts.canned}
        </Button>
      )}
    >
      {(close) => (
        <CannedList
          written={written}
          onChoose={(text) => {
            onChoose(text);
            close();
          }}
        />
      )}
    </LaterPopover>
  );
}

function CannedList({ written, onChoose }: Choice & { written: string }): ReactNode {
  const mayWrite = useScope('channels:write');
  const [name, setName] = useState('');
  const { data = [], error } = useProjectQuery(['canned-answers'], async (signal) => {
    return (await answer(api.GET('/api/v1/canned-answers', { signal }))).data;
  });
  const save = useChange(
    () => answer(api.PUT('/api/v1/canned-answers', { body: { name: name.trim(), text: written } })),
    'canned-answers',
  );
  const remove = useChange(
    (id: string) => answer(api.DELETE('/api/v1/canned-answers/{id}', { params: { path: { id } } })),
    'canned-answers',
  );
  return (
    <Stack gap="xs">
      {data.length === 0 && !error && (
        <Text size="sm" c="dimmed">
          {texts.noCanned}
        </Text>
      )}
      {data.map((canned) => (
        <Group key={canned.id} gap={4} wrap="nowrap">
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            flex={1}
            justify="flex-start"
            onClick={() => onChoose(canned.text)}
          >
            {canned.name}
          </Button>
          {mayWrite && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={texts.deleteCanned(canned.name)}
              onClick={() => remove.mutate(canned.id)}
            >
              <Trash2 size={14} aria-hidden />
            </ActionIcon>
          )}
        </Group>
      ))}
      {mayWrite && written.trim() !== '' && (
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            size="xs"
            flex={1}
            label={texts.saveCanned}
            placeholder={texts.cannedName}
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button
            size="xs"
            disabled={name.trim() === ''}
            loading={save.isPending}
            onClick={() =>
              save.mutate(undefined, {
                onSuccess: () => {
                  setName('');
                  notifications.show({ message: texts.cannedSaved });
                },
              })
            }
          >
            {texts.save}
          </Button>
        </Group>
      )}
      <ProblemAlert error={error ?? save.error ?? remove.error} />
    </Stack>
  );
}

/** What the agent has written and nobody was sent, to begin with. */
export function AgentDraft({ turnId, onChoose }: Choice & { turnId: string }): ReactNode {
  const { data } = useProjectQuery(
    ['turn', turnId, 'draft'],
    (signal) => answer(api.GET('/api/v1/turns/{id}', { params: { path: { id: turnId } }, signal })),
    { enabled: useScope('agents:read') },
  );
  const isSent = data?.deliveries.some(({ state }) => state === 'delivered') ?? true;
  const draft = data?.reply_text ?? lastWords(data?.steps ?? []);
  if (isSent || !draft) return null;
  return (
    <Button
      variant="default"
      size="compact-sm"
      leftSection={<PencilLine size={14} aria-hidden />}
      onClick={() => onChoose(draft)}
    >
      {texts.draft}
    </Button>
  );
}

/** What the model wrote last, also beside calls of tools. */
function lastWords(steps: readonly { kind: string; content: Record<string, unknown> }[]): string | null {
  const texts = steps.flatMap(({ kind, content: { text } }) =>
    kind === 'model_call' && typeof text === 'string' && text.trim() !== '' ? [text] : [],
  );
  return texts.at(-1) ?? null;
}
