import { Group, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAppName } from '../../api/choices.js';
import { useContact, usePrincipalName } from '../../api/principals.js';
import { useProjectId } from '../../api/project-query.js';
import type { Schema } from '../../api/client.js';
import { conversationTexts } from '../../texts/conversations.js';
import { CopyText } from '../../ui/copy.js';
import { Facts } from '../../ui/facts.js';
import { AgentName, AppName } from '../../ui/name-of.js';
import { Section } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { TextLink } from '../../ui/links.js';
import { When } from '../../ui/when.js';
import { Assignee, SessionNotes } from './session-team.js';
import { SessionSummary } from './session-summary.js';
import { topicOf } from './use-conversation.js';

const texts = conversationTexts.participants;

/** Who takes part: the contact with what is known about them, the agent, the person who took over. */
export function Participants({ session }: { session: Schema<'SessionDetailView'> }): ReactNode {
  const projectId = useProjectId();
  const appName = useAppName();
  const nameOf = usePrincipalName();
  const { data: contact } = useContact(session.contact_id);
  const takenOver = session.marks.findLast(({ kind }) => kind === 'takeover');
  return (
    <Stack gap="md">
      <Section title={texts.title}>
        <Stack gap="sm">
          {session.contact_id !== null && !contact && <Skeleton height={44} />}
          {contact && (
            <div>
              <Group gap="xs">
                <TextLink
                  to={{ to: '/p/$projectId/contacts/$contactId', params: { projectId, contactId: contact.id } }}
                >
                  {contact.name}
                </TextLink>
                <StatusBadge status={contact.status} tone={contact.status === 'unknown' ? 'warn' : undefined} />
              </Group>
              {contact.identities.map(({ app_id, sender }) => (
                <Text key={`${app_id} ${sender}`} size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                  {texts.identity(sender, appName(app_id))}
                </Text>
              ))}
            </div>
          )}
          {session.contact_id === null && (
            <Text size="sm" c="dimmed">
              {texts.noContact}
            </Text>
          )}
          <Facts
            of={[
              [texts.agent, <AgentName key="agent" id={session.agent_id} />],
              [texts.assigned, <Assignee key="assigned" session={session} />],
              [texts.person, session.status === 'taken_over' && takenOver && nameOf(takenOver.made_by)],
            ]}
          />
        </Stack>
      </Section>
      <SessionNotes session={session} />
      <SessionSummary session={session} />
      <Section title={texts.about}>
        <Stack gap="sm">
          <Facts
            of={[
              [texts.app, <AppName key="app" id={session.app_id} />],
              [texts.topic, topicOf(session)],
              [texts.waiting, session.waiting > 0 && session.waiting],
              [texts.since, <When key="since" at={session.created_at} />],
            ]}
          />
          <CopyText text={session.id} />
        </Stack>
      </Section>
    </Stack>
  );
}
