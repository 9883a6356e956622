import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type AlertRule, isMuted, muteRule } from '../../api/alert-rules.js';
import { answer, api } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { useChange, useRefresh } from '../../api/use-change.js';
import { alertTexts } from '../../texts/alerts.js';
import { muteTexts } from '../../texts/ui.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { LaterPopover } from '../../ui/later.js';
import { MuteFor } from '../../ui/mute-for.js';
import { ProblemAlert } from '../../ui/notices.js';

export function RuleActions({ rule }: { rule: AlertRule }): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const may = useScope('alerts:write');
  const refresh = useRefresh('alert-rules');
  const path = { params: { path: { id: rule.id } } };
  const test = useChange(() => answer(api.POST('/api/v1/alert-rules/{id}/test', path)), 'alerts');
  const turn = useChange(
    () => answer(api.PATCH('/api/v1/alert-rules/{id}', { ...path, body: { enabled: !rule.enabled } })),
    'alert-rules',
  );
  const mute = useChange((hours: number) => muteRule(rule.id, hours), 'alert-rules');
  const remove = useMutation({
    mutationFn: () => answer(api.DELETE('/api/v1/alert-rules/{id}', path)),
    onSuccess: async () => {
      await navigate({ to: '/p/$projectId/alerts', params: { projectId } });
      await refresh();
    },
  });
  if (!may) return null;
  return (
    <>
      <Button
        loading={test.isPending}
        onClick={() =>
          test.mutate(undefined, {
            onSuccess: ({ data }) => notifications.show({ message: alertTexts.tested(data.length), color: 'teal' }),
          })
        }
      >
        {alertTexts.test}
      </Button>
      {isMuted(rule) ? (
        <Button variant="default" loading={mute.isPending} onClick={() => mute.mutate(0)}>
          {alertTexts.unmute}
        </Button>
      ) : (
        <LaterPopover
          label={muteTexts.mute}
          position="bottom-end"
          withArrow
          button={(onPress) => (
            <Button variant="default" loading={mute.isPending} onClick={onPress}>
              {muteTexts.mute}
            </Button>
          )}
        >
          {(close) => (
            <MuteFor
              onChoose={(hours) => {
                close();
                mute.mutate(hours);
              }}
            />
          )}
        </LaterPopover>
      )}
      <Button variant="default" loading={turn.isPending} onClick={() => turn.mutate()}>
        {rule.enabled ? alertTexts.turnOff : alertTexts.on}
      </Button>
      <ConfirmButton
        question={alertTexts.removeQuestion}
        color="red"
        variant="subtle"
        loading={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        {alertTexts.remove}
      </ConfirmButton>
      <ProblemAlert error={test.error ?? mute.error ?? turn.error ?? remove.error} />
    </>
  );
}
