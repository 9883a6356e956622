import { Alert, List } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { integrationTexts as texts } from '../../texts/integrations.js';
import type { App } from './use-app-change.js';

/** What keeps the App from its work, and what to do; nothing where it works. */
export function AppComplaints({ app }: { app: App }): ReactNode {
  const { missing, held_reason, renewal_failure, warnings } = app;
  const said = [
    ...(missing.length > 0 ? [texts.missing(missing.join(', '))] : []),
    ...(held_reason ? [texts.held[held_reason]] : []),
    ...(renewal_failure ? [`${renewal_failure.error} ${renewal_failure.what_to_do ?? ''}`] : []),
    ...warnings.map(({ code }) => texts.warnings[code]),
  ];
  if (said.length === 0) return null;
  return (
    <Alert color="yellow" variant="light" icon={<TriangleAlert size={18} aria-hidden />}>
      <List size="sm" listStyleType={said.length > 1 ? undefined : 'none'}>
        {said.map((sentence) => (
          <List.Item key={sentence}>{sentence}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
