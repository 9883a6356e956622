import { Badge, Card, Group, Skeleton, Stack, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useProjectId } from '../../api/project-query.js';
import type { Schema } from '../../api/client.js';
import { integrationTexts as texts } from '../../texts/integrations.js';
import { AppIcon } from '../../ui/app-icon.js';
import { CopyButton } from '../../ui/copy.js';
import { LinkAnchor } from '../../ui/links.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { labelled, refusedIn, useLastMessage } from './use-app.js';

interface AppCardProps {
  app: Schema<'AppView'>;
  listing: Schema<'ListingView'> | undefined;
  day: Schema<'AppStatistics'> | undefined;
  /** Whether the counts have loaded. Without them, nothing shows about the day. */
  counted: boolean;
}

/** An App at a glance: what it is, whether it works, what it did. */
export function AppCard({ app, listing, day, counted }: AppCardProps): ReactNode {
  const projectId = useProjectId();
  return (
    <Card withBorder padding="md" component="article" aria-label={app.name}>
      <Stack gap="sm" h="100%">
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <AppIcon icon={listing?.kind === 'builtin' ? 'webhook' : listing?.icon} name={app.name} />
          <div style={{ flex: 1, minWidth: 0 }}>
            <LinkAnchor
              to={{ to: '/p/$projectId/integrations/$appId', params: { projectId, appId: app.id } }}
              fw={600}
              c="inherit"
              style={{ overflowWrap: 'anywhere' }}
            >
              {app.name}
            </LinkAnchor>
            <Text size="sm" c="dimmed" style={{ textTransform: 'capitalize' }}>
              {listing?.category}
            </Text>
          </div>
          <StatusBadge status={app.condition.state} />
        </Group>
        <Group gap={6}>
          <Capabilities capabilities={app.capabilities} />
        </Group>
        <Complaints app={app} />
        <Group justify="space-between" wrap="nowrap" gap="xs" mt="auto" align="flex-end">
          <div>
            {counted ? <Day day={day} /> : <Skeleton height={18} width={120} />}
            <LastMessage app={app} />
          </div>
          {app.webhook_url && <CopyButton text={app.webhook_url} label={texts.copyUrl(app.name)} />}
        </Group>
      </Stack>
    </Card>
  );
}

export function Capabilities({ capabilities }: { capabilities: readonly ('send' | 'receive')[] }): ReactNode {
  const labels = capabilities.length > 0 ? capabilities.map((one) => texts.capabilities[one]) : [texts.noCapabilities];
  return labels.map((label) => (
    <Badge key={label} variant="default" radius="sm" tt="none" fw={500}>
      {label}
    </Badge>
  ));
}

function Complaints({ app }: { app: Schema<'AppView'> }): ReactNode {
  const sentences = [
    ...(app.condition.why ? [app.condition.why] : []),
    ...app.warnings.map(({ code }) => texts.warnings[code]),
  ];
  return sentences.map((sentence) => (
    <Group key={sentence} gap={6} wrap="nowrap" align="flex-start">
      <TriangleAlert size={15} aria-hidden style={{ flexShrink: 0, marginTop: 2 }} />
      <Text size="sm" lineClamp={3} style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        {sentence}
      </Text>
    </Group>
  ));
}

/** Counts that wrap between them, never within one. */
function Day({ day }: { day: Schema<'AppStatistics'> | undefined }): ReactNode {
  if (!day) {
    return (
      <Text size="sm" c="dimmed">
        {texts.quiet}
      </Text>
    );
  }
  const refused = refusedIn(day);
  const dead = labelled(day.deliveries, 'dead');
  const counts = [
    texts.received24h(day.received),
    texts.replied24h(labelled(day.deliveries, 'delivered')),
    ...(dead > 0 ? [texts.died24h(dead)] : []),
    ...(refused > 0 ? [texts.refused24h(refused)] : []),
  ];
  return (
    <Group gap="0 10" aria-label={texts.day} role="group">
      {counts.map((count) => (
        <Text key={count} size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {count}
        </Text>
      ))}
    </Group>
  );
}

function LastMessage({ app }: { app: Schema<'AppView'> }): ReactNode {
  const { data } = useLastMessage(app.id);
  if (data === undefined) return null;
  return (
    <Text size="sm" c="dimmed">
      {data ? (
        <>
          {texts.lastMessage} <When at={data} relative />
        </>
      ) : (
        texts.neverReceived
      )}
    </Text>
  );
}
