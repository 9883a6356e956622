import { Skeleton, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answerWithEtag, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { settingsTexts } from '../../texts/settings.js';
import { Editable } from '../../ui/editable.js';
import { Facts } from '../../ui/facts.js';
import { Page } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { Section } from '../../ui/section.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { MemberActions } from './member-actions.js';
import { MemberRole } from './member-role.js';
import { SessionTable } from './session-table.js';

const route = getRouteApi('/p/$projectId/settings/members/$memberId');
const texts = settingsTexts.members;
const againMs = 15_000;

export function MemberPage(): ReactNode {
  const { projectId, memberId } = route.useParams();
  const member = useProjectQuery(
    ['members', memberId],
    (signal) => answerWithEtag(api.GET('/api/v1/members/{id}', { params: { path: { id: memberId } }, signal })),
    { refetchInterval: againMs },
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
