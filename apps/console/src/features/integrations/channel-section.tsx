import { Alert, Button, Group, List, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAgents } from '../../api/choices.js';
import { answerWithEtag, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { channelTexts as texts } from '../../texts/channels.js';
import { integrationTexts } from '../../texts/integrations.js';
import { unread } from '../../texts/ui.js';
import { historyTexts } from '../../texts/history.js';
import { About } from '../../ui/about.js';
import { ChangedBy } from '../../ui/changed-by.js';
import { VersionHistory } from '../../ui/version-history.js';
import { FieldList } from '../../ui/facts.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { channelHistory } from './channel-history.js';
import { ChannelForm } from './channel-form.js';
import type { App, Channel } from './use-app.js';

interface ChannelSectionProps {
  app: App;
  editing: boolean;
  /** Its versions are shown. */
  history: boolean;
  onHistory: (shown: boolean) => void;
  onEdit: (form: 'channel' | undefined) => void;
}

/** Who answers the App's messages, in sentences. */
export default function ChannelSection({ app, editing, history, onHistory, onEdit }: ChannelSectionProps): ReactNode {
  const may = useScope('channels:write');
  const {
    data: shown,
    error,
    refetch,
  } = useProjectQuery(['channels', app.id], (signal) =>
    answerWithEtag(api.GET('/api/v1/channels/{appId}', { params: { path: { appId: app.id } }, signal })),
  );
  const { data: agents = [], isLoading } = useAgents({ enabled: useScope('agents:read') });
  const channel = shown?.data;
  const notices = channel ? [...channel.warnings.map(({ message }) => message), ...channel.notes] : [];
  const agentName = isLoading && channel?.agent_id ? unread : agents.find(({ id }) => id === channel?.agent_id)?.name;
  return (
    <Stack gap="md">
      <Section
        title={integrationTexts.app.tabs.channel}
        mark={<About topic="routes" label={integrationTexts.app.tabs.channel} />}
        actions={
          channel && (
            <Group gap="xs">
              <ChangedBy of={channelHistory(app.id)} />
              <Button
                size="compact-sm"
                variant="subtle"
                color="gray"
                aria-expanded={history}
                onClick={() => onHistory(!history)}
              >
                {historyTexts.tab}
              </Button>
              {may && (
                <Button size="compact-sm" variant="default" onClick={() => onEdit('channel')}>
                  {texts.edit}
                </Button>
              )}
            </Group>
          )
        }
      >
        {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
        {!channel && !error && <Skeleton height={120} />}
        {channel && (
          <Stack gap="md">
            <List spacing={6}>
              {sentencesOf(channel, app, agentName).map((sentence) => (
                <List.Item key={sentence}>{sentence}</List.Item>
              ))}
            </List>
            {notices.length > 0 && (
              <Alert color="yellow" variant="light" role="note">
                {notices.map((note) => (
                  <Text key={note} size="sm">
                    {note}
                  </Text>
                ))}
              </Alert>
            )}
            <FieldList
              fields={[
                [texts.fields.reply, channel.reply_address],
                [
                  texts.fields.idle,
                  channel.idle_reset_minutes === null ? null : texts.fields.minutes(channel.idle_reset_minutes),
                ],
                [
                  texts.fields.ttl,
                  channel.reply_ttl_seconds === null ? null : texts.fields.ttlMinutes(channel.reply_ttl_seconds / 60),
                ],
              ]}
            />
          </Stack>
        )}
        {!may && <Text size="sm">{integrationTexts.cannotChange}</Text>}
        {shown && editing && may && (
          <ChannelForm app={app} shown={shown} agents={agents} onClose={() => onEdit(undefined)} />
        )}
      </Section>
      {history && <VersionHistory of={channelHistory(app.id)} />}
    </Stack>
  );
}

function sentencesOf(channel: Channel, app: App, agentName: string | undefined): string[] {
  const agent = agentName ?? channel.agent_id ?? `the ${texts.chiefOfStaff}`;
  const unknown = app.kind === 'builtin' ? texts.unknownBuiltin : texts.unknown[channel.unknown_senders ?? 'hold'];
  const answers = channel.route_policy !== 'triggers';
  return [
    texts.sentence[channel.route_policy](agent),
    ...(answers ? [texts.session[channel.session_scope], unknown] : []),
  ];
}
