import { Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { usePrincipalName } from '../../api/principals.js';
import { useCursorList, useProjectQuery } from '../../api/project-query.js';
import { useChange } from '../../api/use-change.js';
import { agentTexts } from '../../texts/agents.js';
import { ActionButton } from '../../ui/action-button.js';
import { FormModal } from '../../ui/dialog.js';
import { DifferenceTable } from '../../ui/diff-view.js';
import { useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';

const texts = agentTexts.versions;
const pageSize = 20;
type Version = Schema<'AgentVersionView'>;

/** The versions of an agent, newest first; each can be compared with the one in force, and put in force. */
export function AgentVersions({ agent }: { agent: Schema<'AgentView'> }): ReactNode {
  const [promoting, setPromoting] = useState<Version | null>(null);
  const list = useCursorList(['agents', agent.id, 'versions'], (cursor, signal) => {
    const params = { path: { id: agent.id }, query: { limit: pageSize, cursor } };
    return answer(api.GET('/api/v1/agents/{id}/versions', { params, signal }));
  });
  return (
    <Stack gap="md">
      {list.error && <ProblemAlert error={list.error} onRetry={list.refresh} />}
      {list.loading && <Skeleton height={200} />}
      {list.rows.map((version) => (
        <OneVersion key={version.version} agent={agent} version={version} onPromote={() => setPromoting(version)} />
      ))}
      {list.hasMore && (
        <Group>
          <Button variant="default" loading={list.loadingMore} onClick={list.loadMore}>
            {texts.more}
          </Button>
        </Group>
      )}
      <Promote agent={agent} version={promoting} onClose={() => setPromoting(null)} />
    </Stack>
  );
}

interface OneVersionProps {
  agent: Schema<'AgentView'>;
  version: Version;
  onPromote: () => void;
}

function OneVersion({ agent, version, onPromote }: OneVersionProps): ReactNode {
  const { version: number, state, changed, note, made_by, promoted_by, created_at, promoted_at } = version;
  const nameOf = usePrincipalName();
  const reason = useReason('agents:write');
  const [compared, setCompared] = useState(false);
  const by = (subject: string | null): string => (subject === null ? texts.gatehouse : nameOf(subject));
  return (
    <Section
      title={texts.number(number)}
      actions={
        <Group gap="sm">
          <StatusBadge status={state === 'in_force' ? 'active' : state} label={texts.states[state]} />
          {state !== 'in_force' && (
            <>
              <Button variant="subtle" color="gray" size="compact-sm" onClick={() => setCompared(!compared)}>
                {compared ? texts.hide : texts.compare}
              </Button>
              <ActionButton variant="default" size="compact-sm" reason={reason} onClick={onPromote}>
                {state === 'draft' ? texts.promote : texts.rollBack}
              </ActionButton>
            </>
          )}
        </Group>
      }
    >
      <Stack gap={4}>
        <Text size="sm">{note || (changed.length > 0 ? texts.changed(changed) : texts.first)}</Text>
        <Text size="sm" c="dimmed">
          {texts.madeBy(by(made_by))} <When at={created_at} />
          {promoted_at && (
            <>
              {' · '}
              {texts.inForceBy(by(promoted_by))} <When at={promoted_at} />
            </>
          )}
        </Text>
        {compared && <Differences agentId={agent.id} version={number} inForce={agent.version} />}
      </Stack>
    </Section>
  );
}

interface DifferencesProps {
  agentId: string;
  version: number;
  inForce: number;
}

function Differences({ agentId, version, inForce }: DifferencesProps): ReactNode {
  const { data, error } = useProjectQuery(
    ['agents', agentId, 'differences', String(version), String(inForce)],
    (signal) => {
      const params = { path: { id: agentId, version }, query: { with: inForce } };
      return answer(api.GET('/api/v1/agents/{id}/versions/{version}/differences', { params, signal }));
    },
  );
  if (error) return <ProblemAlert error={error} />;
  if (!data) return null;
  const differences = data.differences.map(({ field, before, after }) => ({
    path: field,
    kind: 'changed' as const,
    before,
    after,
  }));
  return <DifferenceTable label={texts.comparedWith(inForce)} differences={differences} />;
}

interface PromoteProps {
  agent: Schema<'AgentView'>;
  /** Null: the dialog is closed. */
  version: Version | null;
  onClose: () => void;
}

function Promote({ agent, version, onClose }: PromoteProps): ReactNode {
  const [note, setNote] = useState('');
  const promote = useChange(async () => {
    if (!version) return;
    const params = { path: { id: agent.id, version: version.version } };
    const body = { note, instead_of: agent.version };
    await answer(api.POST('/api/v1/agents/{id}/versions/{version}/promote', { params, body }));
    notifications.show({ message: texts.promoted(version.version), color: 'teal' });
    setNote('');
    onClose();
  }, 'agents');
  return (
    <FormModal
      opened={version !== null}
      title={version ? texts.promoteTitle(version.version) : ''}
      submit={version?.state === 'draft' ? texts.promote : texts.rollBack}
      saving={promote.isPending}
      error={promote.error}
      onSubmit={() => promote.mutate()}
      onClose={onClose}
    >
      <Text size="sm">{texts.promoteHint(agent.version)}</Text>
      <TextInput
        label={texts.why}
        maxLength={500}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
    </FormModal>
  );
}
