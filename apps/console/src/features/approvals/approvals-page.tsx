import { Divider, Grid, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { ShieldCheck } from 'lucide-react';
import { type ReactNode, Suspense } from 'react';
import { useAgentName } from '../../api/choices.js';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import { approvalTexts } from '../../texts/approvals.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { Page, Section } from '../../ui/page.js';
import { TextLink } from '../../ui/links.js';
import { When } from '../../ui/when.js';
import { ApprovalCall } from './approval-call.js';
import { ApprovalContext } from './approval-context.js';
import { ApprovalHistory } from './approval-history.js';
import { DecideAll } from './decide-all.js';
import { Decide } from '../../ui/decide.js';
import { LateManyBar } from '../../ui/late-many-bar.js';
import { SelectBox, useSelection } from '../../ui/selection.js';
import { useManyDecisions } from './many-decisions.js';

const route = getRouteApi('/p/$projectId/approvals');
const mostPending = 100;
/** Refetch interval. Somebody waits for these calls. */
const everyMs = 3_000;
const keyOf = ({ id }: { id: string }): string => id;

export function ApprovalsPage(): ReactNode {
  const { state } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/approvals' });
  const pending = useProjectQuery(
    ['approvals', 'pending'],
    (signal) =>
      answer(api.GET('/api/v1/approvals', { params: { query: { state: 'pending', limit: mostPending } }, signal })),
    { refetchInterval: everyMs },
  );
  const calls = pending.data?.data;
  const selection = useSelection(calls ?? [], keyOf);
  const many = useManyDecisions();
  return (
    <Page title={approvalTexts.title} description={approvalTexts.description}>
      <Stack gap="xl">
        <Stack gap="sm" component="section" aria-label={approvalTexts.waiting}>
          {!calls && !pending.error && <Skeleton height={180} />}
          {pending.error && !calls && <ProblemAlert error={pending.error} onRetry={() => void pending.refetch()} />}
          {calls?.length === 0 && <EmptyState icon={ShieldCheck} {...approvalTexts.empty} />}
          {calls && calls.length > 1 && <DecideAll approvals={calls} />}
          {calls?.map((approval) => (
            <PendingApproval
              key={approval.id}
              approval={approval}
              checked={selection.has(approval.id)}
              onToggle={(range) => selection.toggle(approval.id, range)}
            />
          ))}
          {selection.touched && (
            <Suspense>
              <LateManyBar {...many} keyOf={keyOf} selection={selection} />
            </Suspense>
          )}
          {pending.data?.next_cursor && <Text c="dimmed">{approvalTexts.morePending(mostPending)}</Text>}
        </Stack>
        <section aria-labelledby="decided">
          <Title order={2} id="decided" mb="sm">
            {approvalTexts.history}
          </Title>
          <ApprovalHistory
            state={state}
            onState={(next) => void navigate({ search: next ? { state: next } : {}, replace: true })}
          />
        </section>
      </Stack>
    </Page>
  );
}

interface PendingApprovalProps {
  approval: Schema<'ApprovalView'>;
  checked: boolean;
  onToggle: (range: boolean) => void;
}

/** A call that waits: everything needed to decide, and the decision. */
function PendingApproval({ approval, ...select }: PendingApprovalProps): ReactNode {
  const projectId = useProjectId();
  const agentName = useAgentName();
  return (
    <Section
      item
      title={approvalTexts.wants(agentName(approval.agent_id), approval.tool)}
      actions={
        <Group gap="md">
          <TextLink
            size="sm"
            to={{ to: '/p/$projectId/approvals/$approvalId', params: { projectId, approvalId: approval.id } }}
          >
            <When at={approval.created_at} relative />
          </TextLink>
          <SelectBox name={approvalTexts.wants(agentName(approval.agent_id), approval.tool)} {...select} />
        </Group>
      }
    >
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <ApprovalCall approval={approval} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <ApprovalContext approval={approval} />
        </Grid.Col>
      </Grid>
      <Divider my="md" />
      <Decide approval={approval} />
    </Section>
  );
}
