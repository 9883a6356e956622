import { Alert, Grid, List, Stack } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useProjectId } from '../../api/project-query.js';
import type { Schema } from '../../api/client.js';
import { developerPortalTexts } from '../../texts/developer-portal.js';
import { FieldList } from '../../ui/facts.js';
import { JsonView } from '../../ui/json-view.js';
import { LinkAnchor, OutsideLink } from '../../ui/links.js';
import { Unread } from '../../ui/name-of.js';
import { Section } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { adapterStatus } from './adapters-page.js';
import { ManifestView } from './manifest-view.js';
import type { Adapter } from './use-adapter.js';

const texts = developerPortalTexts.one;

interface AdapterOverviewProps {
  adapter: Adapter;
  /** The project's App of this adapter; undefined: it is not known yet. */
  app: Schema<'AppView'> | null | undefined;
}

export function AdapterOverview({ adapter, app }: AdapterOverviewProps): ReactNode {
  const projectId = useProjectId();
  const { skill } = adapter;
  const status = adapterStatus(adapter);
  const appLink = app ? (
    <LinkAnchor to={{ to: '/p/$projectId/integrations/$appId', params: { projectId, appId: app.id } }}>
      {app.name}
    </LinkAnchor>
  ) : (
    adapter.base_url && (app === null ? texts.notInstalled : <Unread key="app" />)
  );
  return (
    <Stack gap="md">
      <Complaints adapter={adapter} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="md">
            <Section title={texts.manifest}>
              <ManifestView manifest={adapter.manifest} />
            </Section>
            <Section title={texts.source}>
              <JsonView value={adapter.manifest} label={texts.source} depth={1} />
            </Section>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Section title={texts.about}>
            <FieldList
              fields={[
                [texts.state, status && <StatusBadge key="state" status={status} />],
                [texts.reason, adapter.state === 'ready' ? null : adapter.state_reason],
                [texts.version, adapter.version && <code key="version">{adapter.version}</code>],
                [texts.latency, adapter.latency_ms === null ? null : developerPortalTexts.latency(adapter.latency_ms)],
                [texts.checked, adapter.checked_at && <When key="checked" at={adapter.checked_at} relative />],
                [texts.next, adapter.base_url && <When key="next" at={adapter.next_check_at} relative />],
                [texts.failed, adapter.failed_polls || null],
                [
                  texts.url,
                  adapter.base_url && (
                    <OutsideLink key="url" href={`${adapter.base_url}/manifest.json`}>
                      {adapter.base_url}
                    </OutsideLink>
                  ),
                ],
                [texts.manifestVersion, developerPortalTexts.manifest.version(adapter.manifest_version)],
                [texts.app, appLink],
                [texts.skill, skill && texts.skillStates[skill.state]],
              ]}
            />
          </Section>
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

function Complaints({ adapter }: { adapter: Adapter }): ReactNode {
  const { violation, violation_at, warnings, skill } = adapter;
  return (
    <>
      {violation && (
        <Alert variant="light" color="red" icon={<TriangleAlert size={18} aria-hidden />} title={texts.violation}>
          {violation} (<When at={violation_at} relative />)
        </Alert>
      )}
      {warnings.length > 0 && (
        <Alert variant="light" color="yellow" icon={<TriangleAlert size={18} aria-hidden />} title={texts.warnings}>
          <List size="sm">
            {warnings.map(({ field, message }) => (
              <List.Item key={field}>
                <code>{field}</code> {message}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      {skill?.state === 'failed' && (
        <Alert
          variant="light"
          color="yellow"
          icon={<TriangleAlert size={18} aria-hidden />}
          title={`${texts.skill}: ${texts.skillStates.failed}`}
        >
          {skill.error} {skill.what_to_do}
        </Alert>
      )}
    </>
  );
}
