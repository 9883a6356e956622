import { Alert, Button, Skeleton, Stack, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { RefreshCw, TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import { sourceTexts } from '../../texts/sources.js';
import { AppName } from '../../ui/name-of.js';
import { Page } from '../../ui/page.js';
import { MeaningWaits } from '../../ui/meaning-failure.js';
import { ProblemAlert } from '../../ui/notices.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { type UrlTab, UrlTabs } from '../../ui/url-tabs.js';
import { When } from '../../ui/when.js';
import { SourceDocuments } from './source-documents.js';
import { SourceRuns } from './source-runs.js';
import { ReportedAccess } from './reported-access.js';
import type { SourceTab } from './routes.js';
import { SourceSettings } from './source-settings.js';
import { isInFlight, useFollowSyncs, useLastRun, useSource, useSourceMutation } from './use-source.js';

const route = getRouteApi('/p/$projectId/sources/$sourceId');
const texts = sourceTexts.one;

export function SourcePage(): ReactNode {
  const { projectId, sourceId: id } = route.useParams();
  const { tab, state, prefix } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/sources/$sourceId' });
  const may = useScope('apps:write');
  const { data: source, error, refetch } = useSource(id);
  const [busy, setBusy] = useState(false);
  const { data: run } = useLastRun(id, busy);
  const inFlight = isInFlight(run);
  if (inFlight !== busy) setBusy(inFlight);
  useFollowSyncs(id, run);
  const sync = useSourceMutation(() => answer(api.POST('/api/v1/sources/{id}/sync', { params: { path: { id } } })));
  const tabs = (): UrlTab<SourceTab>[] =>
    source
      ? [
          {
            value: 'documents',
            label: texts.tabs.documents,
            content: (
              <SourceDocuments
                id={id}
                filter={{ state, prefix }}
                onChange={(filter) => void navigate({ search: { tab, ...filter }, replace: true })}
              />
            ),
          },
          { value: 'runs', label: texts.tabs.runs, content: <SourceRuns id={id} /> },
          { value: 'settings', label: texts.tabs.settings, content: <SourceSettings source={source} /> },
        ]
      : [];
  return (
    <Page
      title={source?.name ?? sourceTexts.title}
      mark={source && <StatusBadge status={inFlight ? 'running' : source.sync_failure ? 'failed' : source.state} />}
      description={
        source && (
          <>
            <code>{source.resource_path}</code> · <AppName id={source.app_id} />
          </>
        )
      }
      breadcrumbs={[{ label: sourceTexts.title, to: { to: '/p/$projectId/sources', params: { projectId } } }]}
      actions={
        source &&
        may && (
          <Button
            leftSection={<RefreshCw size={14} aria-hidden />}
            loading={sync.isPending}
            disabled={inFlight}
            onClick={() => sync.mutate(undefined)}
          >
            {texts.sync}
          </Button>
        )
      }
    >
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!source && !error && <Skeleton height={320} />}
      {source && (
        <Stack gap="md">
          <ProblemAlert error={sync.error} />
          {run && (
            <Text c="dimmed" role="status">
              {inFlight ? (
                texts.syncing
              ) : (
                <>
                  {texts.lastSync} <When at={run.finished_at} relative />:
                </>
              )}{' '}
              {sourceTexts.counts(run.added, run.changed, run.removed)}
              {run.failed > 0 && `, ${sourceTexts.failedCount(run.failed)}`}
            </Text>
          )}
          {source.sync_failure && <FailureAlert title={texts.failure} failure={source.sync_failure} />}
          {source.feed_failure && <FailureAlert title={texts.feedFailure} failure={source.feed_failure} />}
          {tab !== 'settings' && source.access_from === 'provider' && source.access?.note && (
            <ReportedAccess source={source} />
          )}
          <MeaningWaits />
          <UrlTabs
            label={texts.sections}
            tabs={tabs()}
            value={tab ?? 'documents'}
            onChange={(name) => void navigate({ search: { tab: name } })}
          />
        </Stack>
      )}
    </Page>
  );
}

function FailureAlert({ title, failure }: { title: string; failure: Schema<'Failure'> }): ReactNode {
  const { error, what_to_do, since, next_try_at: next } = failure;
  return (
    <Alert variant="light" color="red" icon={<TriangleAlert size={18} aria-hidden />} title={title}>
      <Text size="sm">
        {error} {what_to_do}
      </Text>
      <Text size="sm">
        {texts.since} <When at={since} />
        {next && (
          <>
            . {texts.nextTry} <When at={next} relative />
          </>
        )}
      </Text>
    </Alert>
  );
}
