import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useCursorList } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { useChange } from '../../api/use-change.js';
import { contactTexts } from '../../texts/contacts.js';
import { ActionButton, ConfirmAction } from '../../ui/action-button.js';
import { FormModal } from '../../ui/dialog.js';
import { useReason } from '../../ui/editable.js';
import { ProjectLink } from '../../ui/links.js';
import { AgentName, PrincipalName } from '../../ui/name-of.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { ListRow, RowList } from '../../ui/rows.js';
import { When } from '../../ui/when.js';

const texts = contactTexts.memories;
const pageSize = 20;
type Memory = Schema<'MemoryView'>;

/** What agents remember of a contact; people correct it, let it expire, and delete it. */
export function Memories({ contactId }: { contactId: string }): ReactNode {
  const mayRead = useScope('events:read');
  const reason = useReason('contacts:write');
  const [corrected, setCorrected] = useState<Memory | null>(null);
  const list = useCursorList(
    ['contacts', contactId, 'memories'],
    (cursor, signal) => {
      const query = { contact_id: contactId, limit: pageSize, cursor };
      return answer(api.GET('/api/v1/memories', { params: { query }, signal }));
    },
    { enabled: mayRead },
  );
  const erase = useChange(
    () => answer(api.DELETE('/api/v1/memories', { params: { query: { contact_id: contactId } } })),
    'contacts',
  );
  if (!mayRead) return null;
  return (
    <Section
      title={texts.title}
      actions={
        list.rows.length > 0 && (
          <ConfirmAction
            size="compact-sm"
            variant="subtle"
            reason={reason}
            loading={erase.isPending}
            question={texts.eraseQuestion}
            confirm={texts.erase}
            onConfirm={() => erase.mutate()}
          >
            {texts.erase}
          </ConfirmAction>
        )
      }
      flush
    >
      {list.error && <ProblemAlert error={list.error} onRetry={list.refresh} />}
      <ProblemAlert error={erase.error} />
      {list.rows.length === 0 && !list.loading && (
        <Text c="dimmed" p="md">
          {texts.none}
        </Text>
      )}
      <RowList>
        {list.rows.map((memory) => (
          <OneMemory key={memory.id} memory={memory} reason={reason} onCorrect={() => setCorrected(memory)} />
        ))}
      </RowList>
      {list.hasMore && (
        <Button variant="default" m="md" loading={list.loadingMore} onClick={list.loadMore}>
          {texts.more}
        </Button>
      )}
      {corrected && <Correct key={corrected.id} memory={corrected} onClose={() => setCorrected(null)} />}
    </Section>
  );
}

interface OneMemoryProps {
  memory: Memory;
  /** Why this reader may change nothing; null: they may. */
  reason: string | null;
  onCorrect: () => void;
}

function OneMemory({ memory, reason, onCorrect }: OneMemoryProps): ReactNode {
  const { id, text, agent_id, receipt_id, content_trust: trust, created_at, expires_at, corrected_by } = memory;
  const forget = useChange(() => answer(api.DELETE('/api/v1/memories/{id}', { params: { path: { id } } })), 'contacts');
  return (
    <ListRow>
      <div style={{ flex: 1, minWidth: 200, overflowWrap: 'anywhere' }}>
        {text}
        <Text size="sm" c="dimmed" component="div">
          <ProjectLink path={`/agents/${agent_id}`}>
            <AgentName id={agent_id} />
          </ProjectLink>
          {' · '}
          <ProjectLink path={`/events/${receipt_id}`}>
            <When at={created_at} relative />
          </ProjectLink>
          {expires_at && (
            <>
              {` · ${texts.until} `}
              <When at={expires_at} />
            </>
          )}
          {corrected_by && (
            <>
              {` · ${texts.correctedBy} `}
              <PrincipalName subject={corrected_by} />
            </>
          )}
          {trust !== 'own' && ` · ${texts.trusts[trust]}`}
        </Text>
        <ProblemAlert error={forget.error} />
      </div>
      <Group gap="xs">
        <ActionButton size="compact-sm" variant="default" reason={reason} onClick={onCorrect}>
          {texts.correct}
        </ActionButton>
        <ActionButton
          size="compact-sm"
          variant="subtle"
          color="red"
          reason={reason}
          loading={forget.isPending}
          onClick={() => forget.mutate()}
        >
          {texts.forget}
        </ActionButton>
      </Group>
    </ListRow>
  );
}

const dayOf = (at: string | null): string => at?.slice(0, 'yyyy-mm-dd'.length) ?? '';

function Correct({ memory, onClose }: { memory: Memory; onClose: () => void }): ReactNode {
  const [text, setText] = useState(memory.text);
  const [day, setDay] = useState(dayOf(memory.expires_at));
  const correct = useChange(async () => {
    const expires_at = day === '' ? null : `${day}T00:00:00Z`;
    const body = { text, ...(day === dayOf(memory.expires_at) ? {} : { expires_at }) };
    await answer(api.PATCH('/api/v1/memories/{id}', { params: { path: { id: memory.id } }, body }));
    onClose();
  }, 'contacts');
  return (
    <FormModal
      opened
      title={texts.correctTitle}
      submit={texts.save}
      saving={correct.isPending}
      error={correct.error}
      onSubmit={() => correct.mutate()}
      onClose={onClose}
    >
      <Stack gap="sm">
        <Textarea
          label={texts.text}
          description={memory.content_trust === 'own' ? undefined : texts.trustHint}
          autosize
          required
          maxLength={1_000}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <TextInput
          type="date"
          label={texts.expires}
          description={texts.expiresHint}
          value={day}
          onChange={(event) => setDay(event.currentTarget.value)}
        />
      </Stack>
    </FormModal>
  );
}
