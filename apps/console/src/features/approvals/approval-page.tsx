import { Skeleton, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAgentName } from '../../api/choices.js';
import { answer, api, type Schema } from '../../api/client.js';
import { usePrincipalName } from '../../api/principals.js';
import { useProjectQuery } from '../../api/project-query.js';
import { own } from '../../own.js';
import { approvalTexts } from '../../texts/approvals.js';
import { uiTexts } from '../../texts/ui.js';
import { CopyText } from '../../ui/copy.js';
import { Page, Section } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/notices.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { ApprovalCall } from './approval-call.js';
import { ApprovalContext } from './approval-context.js';
import { Decide } from '../../ui/decide.js';

const route = getRouteApi('/p/$projectId/approvals/$approvalId');
const everyMs = 3_000;

export function ApprovalPage(): ReactNode {
  const { projectId, approvalId } = route.useParams();
  const agentName = useAgentName();
  const {
    data: approval,
    error,
    refetch,
  } = useProjectQuery(
    ['approval', approvalId],
    (signal) => answer(api.GET('/api/v1/approvals/{id}', { params: { path: { id: approvalId } }, signal })),
    { refetchInterval: everyMs },
  );
  return (
    <Page
      title={approval ? approvalTexts.wants(agentName(approval.agent_id), approval.tool) : approvalTexts.one}
      mark={approval && <StatusBadge status={approval.state} />}
      description={<CopyText text={approvalId} />}
      breadcrumbs={[{ label: approvalTexts.title, to: { to: '/p/$projectId/approvals', params: { projectId } } }]}
    >
      {error && !approval && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!approval && !error && <Skeleton height={320} />}
      {approval && (
        <Stack gap="md">
          <Section title={approvalTexts.wouldDo}>
            <ApprovalCall approval={approval} />
          </Section>
          <Section title={approvalTexts.context}>
            <ApprovalContext approval={approval} />
          </Section>
          <Section title={approval.state === 'pending' ? approvalTexts.waiting : approvalTexts.history}>
            {approval.state === 'pending' ? <Decide approval={approval} /> : <Decision approval={approval} />}
          </Section>
        </Stack>
      )}
    </Page>
  );
}

function Decision({ approval }: { approval: Schema<'ApprovalView'> }): ReactNode {
  const { state, decided_by: by, decided_at, note } = approval;
  const nameOf = usePrincipalName(by === null ? [] : [by]);
  return (
    <>
      <Text>
        {by === null
          ? own(uiTexts.outcomes, state)
          : approvalTexts.decided(
              own(uiTexts.outcomes, state) ?? state,
              by === 'clock' ? approvalTexts.clock : nameOf(by),
            )}
        {decided_at && ' · '}
        {decided_at && <When at={decided_at} />}
      </Text>
      {note && <Text c="dimmed">{note}</Text>}
    </>
  );
}
