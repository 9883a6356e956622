import { Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { listingOf, useApps, useListings } from '../../api/choices.js';
import type { Schema } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import { integrationTexts as texts } from '../../texts/integrations.js';
import { ActionButton } from '../../ui/action-button.js';
import { AppIcon } from '../../ui/app-icon.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Page } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { AppCard, Capabilities } from './app-card.js';
import { InstallApp } from './install-app.js';
import { useDayOfApps } from './use-app.js';

const route = getRouteApi('/p/$projectId/integrations');
const columns = { base: 1, sm: 2, lg: 3 };

/** A state changes by itself too: a credential expires, a renewal fails. */
const pollMs = 15_000;

export function IntegrationsPage(): ReactNode {
  const { install } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/integrations' });
  const apps = useApps({ refetchInterval: pollMs });
  const listings = useListings();
  const day = useDayOfApps();
  const open = (slug: string | undefined): void => void navigate({ search: { install: slug } });
  const error = apps.error ?? listings.error;
  const installed = (apps.data ?? [])
    .filter(({ state }) => state !== 'retired')
    .toSorted((a, b) => Number(b.kind === 'builtin') - Number(a.kind === 'builtin') || a.name.localeCompare(b.name));
  const available = (listings.data ?? []).filter(({ kind, app_id }) => kind === 'builtin' || !app_id);
  return (
    <Page title={texts.title} description={texts.description}>
      {error && <ProblemAlert error={error} onRetry={() => void Promise.all([apps.refetch(), listings.refetch()])} />}
      {!error && (!apps.data || !listings.data) && <Skeleton height={220} />}
      {apps.data && listings.data && (
        <Stack gap="xl">
          <section aria-labelledby="installed">
            <Title order={2} id="installed" mb="sm">
              {texts.installed}
            </Title>
            <SimpleGrid cols={columns} spacing="md">
              {installed.map((app) => (
                <AppCard
                  key={app.id}
                  app={app}
                  listing={listingOf(listings.data, app)}
                  day={day.data?.apps.find(({ app_id }) => app_id === app.id)}
                  counted={day.data !== undefined}
                />
              ))}
            </SimpleGrid>
          </section>
          <section aria-labelledby="available">
            <Title order={2} id="available" mb="sm">
              {texts.available}
            </Title>
            <SimpleGrid cols={columns} spacing="md">
              {available.map((listing) => (
                <ListingCard key={listing.slug} listing={listing} onInstall={() => open(listing.slug)} />
              ))}
            </SimpleGrid>
            {available.length < 2 && (
              <Text c="dimmed" mt="sm">
                {texts.allInstalled}
              </Text>
            )}
          </section>
        </Stack>
      )}
      <InstallApp listing={listings.data?.find(({ slug }) => slug === install)} onClose={() => open(undefined)} />
    </Page>
  );
}

/** Something that can be installed. */
function ListingCard({ listing, onInstall }: { listing: Schema<'ListingView'>; onInstall: () => void }): ReactNode {
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
              {kind === 'builtin' ? texts.installAnother : texts.install}
            </ActionButton>
          )}
        </Group>
      </Stack>
    </Card>
  );
}
