import { Card, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useScope } from '../../api/session.js';
import type { Schema } from '../../api/named-schema.js';
import { integrationTexts as texts } from '../../texts/integrations.js';
import { ActionButton } from '../../ui/action-button.js';
import { AppIcon } from '../../ui/app-icon.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { Capabilities } from './app-card.js';

/** Something that can be installed. */
export function ListingCard({
  listing,
  onInstall,
}: {
  listing: Schema<'ListingView'>;
  onInstall: () => void;
}): ReactNode {
  const may = useScope('apps:write');
  const { kind, name, description, category, icon, adapter, capabilities } = listing;
  return (
    <Card withBorder padding="md" component="article" aria-label={name}>
      <Stack gap="sm" h="100%">
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <AppIcon icon={kind === 'builtin' ? 'webhook' : icon} name={name} />
          <div style={{ flex: 1, minWidth: 0 }}>
            <Text fw={600}>{name}</Text>
            <Text size="sm" c="dimmed" style={{ textTransform: 'capitalize' }}>
              {category}
            </Text>
          </div>
          {adapter && adapter.state !== 'ready' && (
            <StatusBadge status={adapter.disabled ? 'disabled' : adapter.state} />
          )}
        </Group>
        <Text size="sm" lineClamp={3}>
          {description}
        </Text>
        <Group justify="space-between" mt="auto">
          <Group gap={6}>
            <Capabilities capabilities={capabilities} />
          </Group>
          {kind === 'skill' ? (
            <Text size="sm" c="dimmed">
              {texts.skillNote}
            </Text>
          ) : (
            <ActionButton variant="default" reason={may ? null : texts.cannotInstall} onClick={() => onInstall()}>
              {kind === 'builtin' ? texts.installAgain : texts.install}
            </ActionButton>
          )}
        </Group>
      </Stack>
    </Card>
  );
}
