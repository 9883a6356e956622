import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { isProblem } from '../../api/problem.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useChange } from '../../api/use-change.js';
import { connectionTexts } from '../../texts/app-connections.js';
import { ActionButton } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { When } from '../../ui/when.js';
import type { App } from './use-app.js';

const texts = connectionTexts.renewal;
const pollMs = 5_000;
const noneYetMs = 15_000;

/** For providers whose subscription expires: until when they send events, and renewing it now. */
export function AppRenewal({ app }: { app: App }): ReactNode {
  const params = { path: { id: app.id } };
  const reason = useReason('apps:write');
  const { data, error } = useProjectQuery(
    ['apps', app.id, 'renewal'],
    (signal) => answer(api.GET('/api/v1/apps/{id}/webhook-renewal', { params, signal })).catch(noneWhenMissing),
    // Refetches until the renewal has happened. A new App has none until the first sweep.
    { refetchInterval: (last) => (!last ? noneYetMs : Date.parse(last.due_at) <= Date.now() && pollMs) },
  );
  const renew = useChange(() => answer(api.POST('/api/v1/apps/{id}/webhook-renewal', { params })), 'apps');
  if (error) return <ProblemAlert error={error} />;
  if (!data) return null;
  const { renewed_at: renewed, expires_at: expires, due_at: due, error: failure, error_detail: detail } = data;
  return (
    <Section
      title={texts.title}
      actions={
        <ActionButton size="compact-sm" reason={reason} loading={renew.isPending} onClick={() => renew.mutate()}>
          {texts.renew}
        </ActionButton>
      }
    >
      <Text size="sm">
        {renewed ? (
          <>
            {texts.renewed} <When at={renewed} relative />.
          </>
        ) : (
          texts.never
        )}{' '}
        {expires && (
          <>
            {texts.expires} <When at={expires} />.{' '}
          </>
        )}
        {Date.parse(due) <= Date.now() ? (
          texts.inFlight
        ) : (
          <>
            {texts.due} <When at={due} />.
          </>
        )}
      </Text>
      {failure && (
        <Group gap={6} mt="xs">
          <Text size="sm" c="red.8">
            {texts.failed} <code>{failure}</code> {detail}
          </Text>
        </Group>
      )}
      <ProblemAlert error={renew.error} />
    </Section>
  );
}

function noneWhenMissing(error: Error): null {
  if (isProblem(error, 'webhook_renewal_not_found')) return null;
  throw error;
}
