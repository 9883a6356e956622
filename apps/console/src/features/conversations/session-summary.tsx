import { Group, Stack, Text, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { usePrincipalName } from '../../api/principals.js';
import { useChange } from '../../api/use-change.js';
import { conversationTexts } from '../../texts/conversations.js';
import { ActionButton } from '../../ui/action-button.js';
import { FormModal } from '../../ui/dialog.js';
import { useReason } from '../../ui/editable.js';
import { Section } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';

const texts = conversationTexts.summary;

/** What the agent is shown of the older turns, which people may correct. */
export function SessionSummary({ session }: { session: Schema<'SessionDetailView'> }): ReactNode {
  const reason = useReason('channels:write');
  const nameOf = usePrincipalName();
  const [draft, setDraft] = useState<string | null>(null);
  const save = useChange(async (text: string) => {
    const params = { path: { id: session.id } };
    await answer(api.PUT('/api/v1/sessions/{id}/summary', { params, body: { text } }));
    setDraft(null);
  }, 'conversations');
  const { summary } = session;
  if (!summary) return null;
  return (
    <Section
      title={texts.title}
      actions={
        <ActionButton variant="default" size="compact-sm" reason={reason} onClick={() => setDraft(summary.text)}>
          {texts.correct}
        </ActionButton>
      }
    >
      <Stack gap="xs">
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            {texts.of(summary.turns)}
          </Text>
          {summary.content_trust !== 'own' && <StatusBadge status={summary.content_trust} tone="warn" />}
        </Group>
        <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {summary.text || texts.nothing}
        </Text>
        <Text size="sm" c="dimmed">
          {summary.corrected_by && summary.corrected_at ? (
            <>
              {texts.correctedBy(nameOf(summary.corrected_by))} <When at={summary.corrected_at} />
            </>
          ) : (
            <>
              {texts.madeBy(summary.model)} <When at={summary.made_at} />
            </>
          )}
        </Text>
      </Stack>
      <FormModal
        opened={draft !== null}
        title={texts.correct}
        submit={texts.save}
        size="lg"
        saving={save.isPending}
        error={save.error}
        onSubmit={() => save.mutate(draft ?? '')}
        onClose={() => setDraft(null)}
      >
        <Textarea
          label={texts.title}
          description={texts.hint}
          autosize
          minRows={6}
          maxRows={20}
          value={draft ?? ''}
          onChange={(event) => setDraft(event.currentTarget.value)}
        />
      </FormModal>
    </Section>
  );
}
