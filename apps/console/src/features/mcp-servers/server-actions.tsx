import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { mcpTexts } from '../../texts/mcp-servers.js';
import { ActionButton, ConfirmButton } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/notices.js';
import { useChange, useRefresh } from '../../api/use-change.js';
import { StatusBadge } from '../../ui/status-badge.js';

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

export type Discovery = UseMutationResult<Schema<'ServerView'>, Error, void>;

/** The keys of servers and what they provide. */
export const provided = ['mcp-servers', 'tools', 'skills'];

/** Asks a server for its tools. */
export const useDiscovery = (id: string): Discovery =>
  useChange(() => answer(api.POST('/api/v1/mcp-servers/{id}/discover', { params: { path: { id } } })), ...provided);

export function HealthBadge({ health }: { health: Schema<'ServerView'>['health'] }): ReactNode {
  return <StatusBadge status={health} label={mcpTexts.health[health]} />;
}
