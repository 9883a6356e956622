import { Skeleton, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAgentName, useAgents, useAppName, useApps } from '../api/choices.js';
import { usePrincipalName } from '../api/principals.js';
import { uiTexts } from '../texts/ui.js';

/** An App by its name; `callers:<project>`: those who ask published agents. */
export function AppName({ id }: { id: string | null }): ReactNode {
  const { isPending } = useApps();
  const nameOf = useAppName();
  if (id?.startsWith('callers:')) return <>{uiTexts.agentCallers}</>;
  return isPending ? <Unread /> : <>{nameOf(id)}</>;
}

/** An agent by its name; null: the Chief of Staff. */
export function AgentName({ id }: { id: string | null }): ReactNode {
  const { isPending } = useAgents();
  const nameOf = useAgentName();
  return isPending ? <Unread /> : <>{nameOf(id)}</>;
}

/** A principal, by name where this reader may see it. */
export const PrincipalName = ({ subject }: { subject: string }): ReactNode => <>{usePrincipalName()(subject)}</>;

/** In place of a name that is loading: an id says nothing to people. */
export const Unread = (): ReactNode => (
  <>
    <Skeleton display="inline-block" height={12} width={72} />
    <VisuallyHidden>{uiTexts.loading}</VisuallyHidden>
  </>
);

/** A name, and below it what distinguishes it from others. */
export function NameOver({ name, under }: { name: ReactNode; under: ReactNode }): ReactNode {
  return (
    <>
      <Text component="div" truncate inherit>
        {name}
      </Text>
      <Text component="div" size="xs" c="dimmed" truncate>
        {under}
      </Text>
    </>
  );
}
