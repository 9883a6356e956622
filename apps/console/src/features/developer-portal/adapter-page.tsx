import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { RefreshCw, Send } from 'lucide-react';
import type { ReactNode } from 'react';
import { useApps } from '../../api/choices.js';
import { answer, api } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import { developerPortalTexts } from '../../texts/developer-portal.js';
import { Page } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/notices.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { type UrlTab, UrlTabs } from '../../ui/url-tabs.js';
import { AdapterHealth } from './adapter-health.js';
import { AdapterOverview } from './adapter-overview.js';
import type { AdapterTab } from './routes.js';
import { AdapterSettings } from './adapter-settings.js';
import { adapterStatus } from './adapters-page.js';
import { Conformance } from './conformance.js';
import { Refreshed } from './manifest-differences.js';
import { useAdapter, useAdapterMutation } from './use-adapter.js';
import { Versions } from './versions.js';

const route = getRouteApi('/p/$projectId/developer-portal/$adapterId');
const texts = developerPortalTexts.one;

export function AdapterPage(): ReactNode {
  const { projectId, adapterId: id } = route.useParams();
  const { tab, version, run, hours } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/developer-portal/$adapterId' });
  const may = useScope('apps:write');
  const { data: adapter, error, refetch } = useAdapter(id);
  const { data: apps } = useApps();
  const app = apps && (apps.find(({ adapter_id, state }) => adapter_id === id && state !== 'retired') ?? null);
  const refresh = useAdapterMutation(() =>
    answer(api.POST('/api/v1/adapters/{id}/refresh', { params: { path: { id } }, body: {} })),
  );
  const show = (number: number | undefined): void =>
    void navigate({ search: { tab: 'versions', version: number === undefined ? undefined : String(number) } });
  const status = adapter && adapterStatus(adapter);
  const tabs = (): UrlTab<AdapterTab>[] => {
    if (!adapter) return [];
    const all: (UrlTab<AdapterTab> & { needsAdapter?: boolean })[] = [
      { value: 'overview', label: texts.tabs.overview, content: <AdapterOverview adapter={adapter} app={app} /> },
      {
        value: 'versions',
        label: texts.tabs.versions,
        content: <Versions adapter={adapter} open={version ? Number(version) : undefined} onOpen={show} />,
      },
      {
        value: 'health',
        label: texts.tabs.health,
        needsAdapter: true,
        content: (
          <AdapterHealth
            id={id}
            hours={hours ?? '24'}
            onHours={(chosen) => void navigate({ search: { tab: 'health', hours: chosen }, replace: true })}
          />
        ),
      },
      {
        value: 'conformance',
        label: texts.tabs.conformance,
        needsAdapter: true,
        content: (
          <Conformance
            id={id}
            run={run}
            onRun={(runId) => void navigate({ search: { tab: 'conformance', run: runId } })}
          />
        ),
      },
      { value: 'settings', label: texts.tabs.settings, content: <AdapterSettings adapter={adapter} /> },
    ];
    return all.filter(({ needsAdapter }) => !needsAdapter || adapter.base_url !== null);
  };
  return (
    <Page
      title={adapter?.name ?? developerPortalTexts.title}
      mark={status && <StatusBadge status={status} />}
      description={adapter?.manifest.description}
      breadcrumbs={[
        { label: developerPortalTexts.title, to: { to: '/p/$projectId/developer-portal', params: { projectId } } },
      ]}
      actions={
        adapter?.base_url &&
        may && (
          <Group gap="xs">
            {app?.capabilities.includes('receive') && (
              <Button
                variant="default"
                leftSection={<Send size={14} aria-hidden />}
                renderRoot={(props) => (
                  <Link
                    {...props}
                    to="/p/$projectId/integrations/$appId"
                    params={{ projectId, appId: app.id }}
                    search={{ tab: 'samples' }}
                  />
                )}
              >
                {texts.sample}
              </Button>
            )}
            {app === null && (
              <Button
                variant="default"
                renderRoot={(props) => (
                  <Link
                    {...props}
                    to="/p/$projectId/integrations"
                    params={{ projectId }}
                    search={{ install: adapter.slug }}
                  />
                )}
              >
                {texts.install}
              </Button>
            )}
            <Button
              leftSection={<RefreshCw size={14} aria-hidden />}
              loading={refresh.isPending}
              onClick={() => refresh.mutate(undefined)}
            >
              {texts.refresh}
            </Button>
          </Group>
        )
      }
    >
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!adapter && !error && <Skeleton height={360} />}
      {adapter && (
        <Stack gap="md">
          <ProblemAlert error={refresh.error} />
          <Refreshed adapter={adapter} found={refresh.data} before={refresh.submittedAt} onReview={show} />
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
