import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAgentName, useAgents } from '../api/agents.js';
import { useAppName, useApps } from '../api/apps.js';

/** An App by its name. */
export function AppName({ id }: { id: string | null }): ReactNode {
  const { isPending } = useApps();
  const nameOf = useAppName();
  return isPending ? <Unread /> : nameOf(id);
}

/** An agent by its name; null: the Chief of Staff. */
export function AgentName({ id }: { id: string | null }): ReactNode {
  const { isPending } = useAgents();
  const nameOf = useAgentName();
  return isPending ? <Unread /> : nameOf(id);
}

/** In place of a name that is being read: an id says nothing to people. */
const Unread = (): ReactNode => <Skeleton display="inline-block" height={12} width={72} />;
