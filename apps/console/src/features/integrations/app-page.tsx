import { Box, Skeleton, Stack } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode } from 'react';
import { listingOf, useListings } from '../../api/choices.js';
import { integrationTexts } from '../../texts/integrations.js';
import { AppIcon } from '../../ui/app-icon.js';
import { Page } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/notices.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { type UrlTab, UrlTabs } from '../../ui/url-tabs.js';
import { useDrawnReady } from '../../ui/later.js';
import { AppOverview } from './app-overview.js';
import type { AppTab } from './routes.js';
import { useApp } from './use-app.js';

// Most visits only look at the first tab.
const AppSamples = lazy(() => import('./app-samples.js'));
const AppSettings = lazy(() => import('./app-settings.js'));
const AppVerify = lazy(() => import('./app-verify.js'));
const ChannelSection = lazy(() => import('./channel-section.js'));
const RefusedRequests = lazy(() => import('./refused-requests.js'));

const route = getRouteApi('/p/$projectId/integrations/$appId');
const texts = integrationTexts.app;

export function AppPage(): ReactNode {
  const { projectId, appId } = route.useParams();
  const { tab, edit, versions = false } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/integrations/$appId' });
  const { data: shown, error, refetch } = useApp(appId);
  const listings = useListings();
  const app = shown?.data;
  const ready = useDrawnReady(app !== undefined);
  const listing = app && listingOf(listings.data, app);
  const open = (form: 'channel' | 'signature' | undefined): void =>
    void navigate({ search: (before) => ({ ...before, edit: form }) });
  const tabs = (): UrlTab<AppTab>[] =>
    app
      ? [
          {
            value: 'overview',
            label: texts.tabs.overview,
            content: <AppOverview app={app} listing={listing} edit={edit} onEdit={open} />,
          },
          { value: 'verify', label: texts.tabs.verify, content: <AppVerify appId={appId} /> },
          { value: 'samples', label: texts.tabs.samples, content: <AppSamples app={app} /> },
          {
            value: 'channel',
            label: texts.tabs.channel,
            content: (
              <ChannelSection
                app={app}
                editing={edit === 'channel'}
                history={versions}
                onHistory={(shown) =>
                  void navigate({ search: (before) => ({ ...before, versions: shown || undefined }), replace: true })
                }
                onEdit={open}
              />
            ),
          },
          { value: 'requests', label: texts.tabs.requests, content: <RefusedRequests appId={appId} /> },
          { value: 'settings', label: texts.tabs.settings, content: shown && <AppSettings shown={shown} /> },
        ]
      : [];
  return (
    <Page
      title={app?.name ?? integrationTexts.title}
      mark={app && <StatusBadge status={app.condition.state} />}
      description={listing?.description}
      breadcrumbs={[{ label: integrationTexts.title, to: { to: '/p/$projectId/integrations', params: { projectId } } }]}
      actions={
        app && (
          <Box visibleFrom="sm">
            <AppIcon icon={app.kind === 'builtin' ? 'webhook' : listing?.icon} name={app.name} />
          </Box>
        )
      }
    >
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!ready && !error && <Skeleton height={360} />}
      {ready && (
        <Stack gap="md">
          <UrlTabs
            label={texts.sections}
            tabs={tabs()}
            value={tab ?? 'overview'}
            onChange={(name) => void navigate({ search: { tab: name } })}
          />
        </Stack>
      )}
    </Page>
  );
}
