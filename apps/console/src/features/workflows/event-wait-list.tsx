import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAppName } from '../../api/choices.js';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { useRefresh } from '../../api/use-change.js';
import { stepTexts } from '../../texts/workflow-steps.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { TextLink } from '../../ui/links.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { When } from '../../ui/when.js';
import classes from './event-wait-list.module.css';
import { touched } from './queries.js';

type Wait = Schema<'EventWaitView'>;

const texts = stepTexts.waits;
const everyMs = 4_000;
const shown = 50;

/** The runs of a workflow that wait for an event; nothing where none does. */
export function EventWaitList({ workflowId }: { workflowId: number }): ReactNode {
  const { data, error, refetch } = useProjectQuery(
    ['runs', workflowId, 'event-waits'],
    (signal) => {
      const query = { workflow_id: workflowId, state: 'open' as const, limit: shown };
      return answer(api.GET('/api/v1/event-waits', { params: { query }, signal }));
    },
    { refetchInterval: everyMs },
  );
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data || data.data.length === 0) return null;
  return (
    <Section title={texts.title}>
      <ul aria-label={texts.title} className={classes.list}>
        {data.data.map((wait) => (
          <WaitItem key={wait.id} wait={wait} />
        ))}
      </ul>
      {data.next_cursor !== null && (
        <Text size="sm" c="dimmed">
          {texts.more}
        </Text>
      )}
    </Section>
  );
}

function WaitItem({ wait }: { wait: Wait }): ReactNode {
  const projectId = useProjectId();
  const may = useScope('workflows:write');
  const refresh = useRefresh(...touched);
  const appName = useAppName();
  const { id, run_id: runId, step, app_id: appId, event_type: type, where } = wait;
  const cancel = useMutation({
    mutationFn: () => answer(api.POST('/api/v1/event-waits/{id}/cancel', { params: { path: { id } } })),
    onSettled: refresh,
  });
  const what = [appId === null ? null : appName(appId), type === null ? null : texts.typed(type)].filter(Boolean);
  return (
    <li className={classes.item}>
      <div>
        <TextLink to={{ to: '/p/$projectId/runs/$runId', params: { projectId, runId } }}>
          <code>{`…${runId.slice(-10)}`}</code>
        </TextLink>{' '}
        <Text size="sm" c="dimmed" component="span">
          {texts.at(step)} · {texts.ends} <When at={wait.until} relative />
        </Text>
        <Text size="sm" className={classes.what}>
          {what.join(', ')} {where !== null && <code>{where}</code>}
        </Text>
        <ProblemAlert error={cancel.error} />
      </div>
      {may && (
        <ConfirmButton
          size="compact-sm"
          question={texts.cancelQuestion}
          loading={cancel.isPending}
          onConfirm={() => cancel.mutate()}
        >
          {texts.cancel}
        </ConfirmButton>
      )}
    </li>
  );
}
