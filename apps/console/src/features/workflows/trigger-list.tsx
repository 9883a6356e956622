import { Badge, Group, Skeleton, Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Plus, Zap } from 'lucide-react';
import type { ReactNode } from 'react';
import { useProjectId } from '../../api/project-query.js';
import { workflowTexts } from '../../texts/workflows.js';
import { ActionButton } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { RowLink } from '../../ui/rows.js';
import { useTriggers } from './queries.js';
import { TriggerSentence } from './trigger-sentence.js';

const texts = workflowTexts.triggers;

/** What starts a workflow. */
export function TriggerList({ workflowId }: { workflowId: number }): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const reason = useReason('workflows:write');
  const { data, error, refetch } = useTriggers();
  const params = { projectId, workflowId: String(workflowId) };
  const add = (
    <ActionButton
      variant="default"
      leftSection={<Plus size={15} aria-hidden />}
      reason={reason}
      onClick={() => void navigate({ to: '/p/$projectId/workflows/$workflowId/new-trigger', params })}
    >
      {texts.add}
    </ActionButton>
  );
  if (error && !data) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={120} />;
  const triggers = data.filter(({ workflow_id }) => workflow_id === workflowId);
  if (triggers.length === 0) return <EmptyState icon={Zap} {...texts.empty} action={add} />;
  return (
    <Stack gap="sm" align="stretch">
      {triggers.map((trigger) => (
        <RowLink
          key={trigger.id}
          to={{
            to: '/p/$projectId/workflows/$workflowId/triggers/$triggerId',
            params: { ...params, triggerId: trigger.id },
          }}
        >
          <Group justify="space-between" wrap="nowrap">
            <TriggerSentence trigger={trigger} />
            {!trigger.active && (
              <Badge color="gray" variant="default" radius="sm" tt="none" fw={500}>
                {texts.inactive}
              </Badge>
            )}
          </Group>
        </RowLink>
      ))}
      <div>{add}</div>
    </Stack>
  );
}
