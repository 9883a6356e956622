import { Button, Skeleton, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, answerWithEtag, api, type Schema, type Tagged } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { settingsTexts } from '../../texts/settings.js';
import { Editable } from '../../ui/editable.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { Facts } from '../../ui/facts.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Page, Section } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { useEditor } from '../../ui/use-editor.js';
import { When } from '../../ui/when.js';
import { MemberActions } from './member-actions.js';
import { RoleSelect } from './role-table.js';
import { SessionTable } from './session-table.js';

const route = getRouteApi('/p/$projectId/settings/members/$memberId');
const texts = settingsTexts.members;
const pollMs = 15_000;

export function MemberPage(): ReactNode {
  const { projectId, memberId } = route.useParams();
  const member = useProjectQuery(
    ['members', memberId],
    (signal) => answerWithEtag(api.GET('/api/v1/members/{id}', { params: { path: { id: memberId } }, signal })),
    { refetchInterval: pollMs },
  );
  const data = member.data?.data;
  const members = { to: '/p/$projectId/settings/$section', params: { projectId, section: 'members' } } as const;
  return (
    <Page
      title={data?.name ?? texts.one}
      mark={data && <StatusBadge status={data.state} />}
      description={data && (data.email ?? texts.noEmail)}
      breadcrumbs={[{ label: settingsTexts.sections.members.label, to: members }]}
      actions={data && <MemberActions member={data} />}
    >
      {member.error && <ProblemAlert error={member.error} onRetry={() => void member.refetch()} />}
      {!data && !member.error && <Skeleton height={280} />}
      {member.data && data && (
        <Stack gap="md">
          <Section title={texts.role}>
            <Editable scope="members:manage">
              <MemberRole shown={member.data} />
            </Editable>
          </Section>
          <Section title={texts.facts}>
            <Facts
              of={[
                [texts.columns.seen, <When key="seen" at={data.last_seen_at} />],
                [texts.invited, <When key="invited" at={data.created_at} />],
                [texts.suspendedAt, data.suspended_at && <When key="suspended" at={data.suspended_at} />],
              ]}
            />
          </Section>
          <Section title={settingsTexts.sessions.title} flush>
            <SessionTable memberId={memberId} />
          </Section>
        </Stack>
      )}
    </Page>
  );
}

function MemberRole({ shown: { data, etag } }: { shown: Tagged<Schema<'MemberView'>> }): ReactNode {
  const { id, role } = data;
  const editor = useEditor({
    saved: { role },
    etag,
    touched: ['members'],
    save: ({ value: body }, match) =>
      answer(api.PATCH('/api/v1/members/{id}', { params: { path: { id }, header: { 'If-Match': match } }, body })),
  });
  const chosen = editor.value.role;
  return (
    <Stack gap="sm" maw={520} align="stretch">
      <RoleSelect value={chosen} onChange={(next) => editor.set({ role: next })} />
      <ProblemAlert error={editor.error} />
      {editor.changed && (
        <Button w="fit-content" loading={editor.saving} onClick={editor.save}>
          {texts.saveRole(settingsTexts.roleNames[chosen])}
        </Button>
      )}
      <EtagConflict label={texts.role} {...editor.conflict} />
    </Stack>
  );
}
