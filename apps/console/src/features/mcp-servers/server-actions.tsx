import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { mcpTexts } from '../../texts/mcp-servers.js';
import { ActionButton } from '../../ui/action-button.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import type { Discovery } from './use-discovery.js';
import { provided } from './use-discovery.js';
import { useRefresh } from '../../api/use-change.js';

/** List its tools again, or remove it. */
export function ServerActions({ id, discovery }: { id: string; discovery: Discovery }): ReactNode {
  const reason = useReason('tools:write');
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh(...provided);
  const params = { path: { id } };
  const remove = useMutation({
    mutationFn: () => answer(api.DELETE('/api/v1/mcp-servers/{id}', { params })),
    onSuccess: async () => {
      await navigate({ to: '/p/$projectId/mcp-servers', params: { projectId } });
      await refresh();
    },
  });
  return (
    <>
      {reason === null && (
        <ConfirmButton question={mcpTexts.removeQuestion} loading={remove.isPending} onConfirm={() => remove.mutate()}>
          {mcpTexts.remove}
        </ConfirmButton>
      )}
      <ActionButton
        leftSection={<RefreshCw size={14} aria-hidden />}
        reason={reason}
        loading={discovery.isPending}
        onClick={() => discovery.mutate()}
      >
        {mcpTexts.discover}
      </ActionButton>
      <ProblemAlert error={discovery.error ?? remove.error} />
    </>
  );
}
