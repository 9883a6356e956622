import { Alert, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useChange } from '../../api/use-change.js';
import { own } from '../../own.js';
import { connectionTexts } from '../../texts/app-connections.js';
import { ActionButton } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { When } from '../../ui/when.js';
import type { App } from './use-app.js';
import { type Connection, useConnection } from './use-connection.js';

const texts = connectionTexts.connection;

/** For providers that can be asked for their messages: whether they are, and why not. */
export function AppConnection({ app }: { app: App }): ReactNode {
  const params = { path: { id: app.id } };
  const reason = useReason('apps:write');
  const { data, error } = useConnection(app, true);
  const hold = useChange(() => answer(api.PUT('/api/v1/apps/{id}/connection', { params })), 'apps');
  const drop = useChange(() => answer(api.DELETE('/api/v1/apps/{id}/connection', { params })), 'apps');
  if (error) return <ProblemAlert error={error} />;
  if (data === undefined) return null;
  const change = data ? drop : hold;
  return (
    <Section
      title={texts.title}
      actions={
        <ActionButton
          size="compact-sm"
          variant={data ? 'default' : 'filled'}
          reason={reason}
          loading={change.isPending}
          onClick={() => change.mutate()}
        >
          {data ? texts.drop : texts.hold}
        </ActionButton>
      }
    >
      {data ? <State connection={data} /> : <Text size="sm">{texts.about}</Text>}
      <ProblemAlert error={change.error} />
    </Section>
  );
}

function State({ connection }: { connection: Connection }): ReactNode {
  const { state, connected_since: since, last_event_at: last, error, gap } = connection;
  return (
    <>
      <Text size="sm" role="status">
        {texts.states[state]}
        {since && (
          <>
            {' '}
            {texts.since} <When at={since} relative />
          </>
        )}
        .{' '}
        {last ? (
          <>
            {texts.lastEvent} <When at={last} relative />.
          </>
        ) : (
          state === 'connected' && texts.none
        )}
      </Text>
      {error && <Failure connection={connection} code={error} />}
      {gap && (
        <Alert mt="xs" color="yellow" variant="light" icon={<TriangleAlert size={18} aria-hidden />}>
          {texts.gap} <code>{gap.reason}</code>
          {gap.since && (
            <>
              {' '}
              {texts.from} <When at={gap.since} />
            </>
          )}
          {gap.until && (
            <>
              {' '}
              {texts.until} <When at={gap.until} />
            </>
          )}
        </Alert>
      )}
    </>
  );
}

/** Why all or a part of it brings nothing, since when, and what to do. */
function Failure({ connection, code }: { connection: Connection; code: string }): ReactNode {
  const { state, error_detail: detail, failing_since: since, next_try_at: next } = connection;
  const degraded = state === 'degraded';
  return (
    <Alert
      mt="xs"
      color={degraded ? 'yellow' : 'red'}
      variant="light"
      icon={<TriangleAlert size={18} aria-hidden />}
      title={
        since && (
          <>
            {degraded ? texts.failingSince.degraded : texts.failingSince.other} <When at={since} relative />
          </>
        )
      }
    >
      <Text size="sm">
        <code>{code}</code> {detail}
      </Text>
      <Text size="sm" mt={4}>
        {own(texts.whatToDo, code) ?? texts.whatToDo.other}{' '}
        {next && (
          <>
            {texts.nextTry} <When at={next} relative />.
          </>
        )}
      </Text>
    </Alert>
  );
}
