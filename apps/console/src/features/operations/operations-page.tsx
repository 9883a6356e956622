import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { operationsTexts } from '../../texts/operations.js';
import { Page } from '../../ui/page.js';
import { UrlTabs } from '../../ui/url-tabs.js';
import { AuditLog } from './audit-log.js';
import { DeadLetters } from './dead-letters.js';
import { Deliveries } from './deliveries.js';
import { Keys } from './keys.js';
import { Queues } from './queues.js';
import { Refusals } from './refusals.js';

const route = getRouteApi('/p/$projectId/operations/$section');
const { sections } = operationsTexts;

const tabs = [
  { value: 'queues', label: sections.queues.label, content: <Queues /> },
  { value: 'dead-letters', label: sections['dead-letters'].label, content: <DeadLetters /> },
  { value: 'deliveries', label: sections.deliveries.label, content: <Deliveries /> },
  { value: 'refusals', label: sections.refusals.label, content: <Refusals /> },
  { value: 'keys', label: sections.keys.label, content: <Keys /> },
  { value: 'audit', label: sections.audit.label, content: <AuditLog /> },
] as const;

export function OperationsPage(): ReactNode {
  const { section, projectId } = route.useParams();
  const navigate = useNavigate();
  const { value } = tabs.find((tab) => tab.value === section) ?? tabs[0];
  return (
    <Page title={operationsTexts.title} description={sections[value].description}>
      <UrlTabs
        label={operationsTexts.title}
        value={value}
        tabs={tabs}
        onChange={(next) =>
          void navigate({ to: '/p/$projectId/operations/$section', params: { projectId, section: next } })
        }
      />
    </Page>
  );
}
