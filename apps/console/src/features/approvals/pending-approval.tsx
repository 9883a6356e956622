import { Divider, Grid } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAgentName } from '../../api/agents.js';
import { useProjectId } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import { approvalTexts } from '../../texts/approvals.js';
import { Section } from '../../ui/section.js';
import { TextLink } from '../../ui/text-link.js';
import { When } from '../../ui/when.js';
import { ApprovalCall } from './approval-call.js';
import { ApprovalContext } from './approval-context.js';
import { Decide } from './decide.js';

/** A call that waits: everything to decide it by, and the decision. */
export function PendingApproval({ approval }: { approval: Schema<'ApprovalView'> }): ReactNode {
  const projectId = useProjectId();
  const agentName = useAgentName();
  return (
    <Section
      item
      title={approvalTexts.wants(agentName(approval.agent_id), approval.tool)}
      actions={
        <TextLink
          size="sm"
          to={{ to: '/p/$projectId/approvals/$approvalId', params: { projectId, approvalId: approval.id } }}
        >
          <When at={approval.created_at} relative />
        </TextLink>
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
