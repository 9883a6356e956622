import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { History } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { usePrincipalName } from '../api/principals.js';
import { useCursorList } from '../api/project-query.js';
import { historyTexts as texts } from '../texts/history.js';
import { ActionButton } from './action-button.js';
import { useReason } from './editable.js';
import { EmptyState, ProblemAlert } from './notices.js';
import { Section } from './page.js';
import { RestoreVersion } from './restore-version.js';
import { StatusBadge } from './status-badge.js';
import { VersionDifferences } from './version-differences.js';
import type { Version, Versioned } from './versioned.js';
import { When } from './when.js';

const pageSize = 20;

/** The versions of something, newest first: who made each, what it changed, and how to go back to it. */
export default function VersionHistory({ of, inForce }: { of: Versioned; inForce?: number }): ReactNode {
  const [chosen, setChosen] = useState<Version | null>(null);
  const list = useCursorList([...of.key, 'versions'], (cursor, signal) => of.list({ limit: pageSize, cursor }, signal));
  const current = inForce ?? list.rows[0]?.version ?? 0;
  return (
    <Stack gap="md">
      {list.error && <ProblemAlert error={list.error} onRetry={list.refresh} />}
      {list.loading && <Skeleton height={200} />}
      {!list.loading && !list.error && list.rows.length === 0 && <EmptyState icon={History} {...texts.empty} />}
      {list.rows.map((version) => (
        <OneVersion key={version.version} of={of} version={version} onRestore={() => setChosen(version)} />
      ))}
      {list.hasMore && (
        <Group>
          <Button variant="default" loading={list.loadingMore} onClick={list.loadMore}>
            {texts.more}
          </Button>
        </Group>
      )}
      <RestoreVersion of={of} inForce={current} version={chosen} onClose={() => setChosen(null)} />
    </Stack>
  );
}

interface OneVersionProps {
  of: Versioned;
  version: Version;
  onRestore: () => void;
}

function OneVersion({ of, version, onRestore }: OneVersionProps): ReactNode {
  const { version: number, state, promoted_by, created_at, promoted_at, based_on: basedOn } = version;
  const nameOf = usePrincipalName();
  const reason = useReason(of.scope);
  const [shown, setShown] = useState(false);
  const by = (subject: string | null | undefined): string => (subject ? nameOf(subject) : (of.nobody ?? texts.nobody));
  const before = basedOn ?? number - 1;
  return (
    <Section
      title={texts.number(number)}
      actions={
        <Group gap="sm">
          <StatusBadge status={state === 'in_force' ? 'active' : state} label={texts.states[state]} />
          {version.changed.length > 0 && (
            <Button variant="subtle" color="gray" size="compact-sm" onClick={() => setShown(!shown)}>
              {shown ? texts.hide : texts.show}
            </Button>
          )}
          {state !== 'in_force' && (
            <ActionButton variant="default" size="compact-sm" reason={reason} onClick={onRestore}>
              {of.words?.act(state) ?? texts.restore}
            </ActionButton>
          )}
        </Group>
      }
    >
      <Stack gap={4}>
        <Text size="sm">{whatOf(version)}</Text>
        <Text size="sm" c="dimmed">
          {texts.madeBy(by(version.made_by))} <When at={created_at} />
          {promoted_at && (
            <>
              {' · '}
              {texts.inForceBy(by(promoted_by))} <When at={promoted_at} />
            </>
          )}
        </Text>
        {shown && <VersionDifferences of={of} version={number} against={before} />}
      </Stack>
    </Section>
  );
}

function whatOf({ version, note, changed, restored_from: restored }: Version): string {
  if (note) return note;
  const fields = changed.length > 0 ? texts.changed(changed) : version === 1 ? texts.first : texts.same;
  return restored ? `${texts.restoredFrom(restored)} ${fields}` : fields;
}
