import { Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { auditActions, operationsTexts } from '../../texts/operations.js';
import { uiTexts } from '../../texts/ui.js';
import { TextLink } from '../../ui/links.js';
import { PrincipalName } from '../../ui/name-of.js';
import { ProblemAlert } from '../../ui/notices.js';
import { When } from '../../ui/when.js';
import { AuditSubject } from './audit-subject.js';

const texts = operationsTexts.problems;
/** Signing in changes nothing. */
const noChange: readonly string[] = ['session.started', 'session.revoked', 'sign_in_link.created'];
const looksAt = 20;

/** The last change that somebody made before a time, which may be the cause of what came after it. */
export function LastChange({ before }: { before: string }): ReactNode {
  const projectId = useProjectId();
  const may = useScope('audit:read');
  const { data, error } = useProjectQuery(
    ['audit', 'before', before],
    (signal) => answer(api.GET('/api/v1/audit', { params: { query: { before, limit: looksAt } }, signal })),
    { enabled: may },
  );
  if (!may) return <Text size="sm">{uiTexts.lacksScope('audit:read')}</Text>;
  if (error) return <ProblemAlert error={error} />;
  if (!data) return <Skeleton height={20} />;
  const entry = data.data.find(({ action }) => !noChange.includes(action));
  if (!entry) return <Text size="sm">{texts.noChange}</Text>;
  return (
    <Text size="sm">
      <TextLink
        to={{
          to: '/p/$projectId/operations/$section',
          params: { projectId, section: 'audit' },
          search: { action: entry.action, entry: entry.id },
        }}
      >
        {auditActions[entry.action]}
      </TextLink>
      {': '}
      <AuditSubject entry={entry} /> · {entry.actor_name ?? <PrincipalName subject={entry.actor} />} ·{' '}
      <When at={entry.at} />
    </Text>
  );
}
