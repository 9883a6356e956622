import { type ButtonProps, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useChange } from '../../api/use-change.js';
import { contactTexts } from '../../texts/contacts.js';
import { ActionButton, ConfirmAction } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/notices.js';

const texts = contactTexts.actions;

interface AdmissionProps {
  contact: Pick<Schema<'ContactView'>, 'id' | 'name' | 'status'>;
  size?: ButtonProps['size'];
}

/** Admits a sender, or blocks them. */
export function Admission({ contact: { id, name, status }, size }: AdmissionProps): ReactNode {
  const params = { path: { id } };
  const reason = useReason('contacts:write');
  const admit = useChange(
    async () => {
      const { released } = await answer(api.POST('/api/v1/contacts/{id}/admit', { params }));
      // A notification: by the time the change is done, the list of waiting senders no longer shows this one.
      notifications.show({ message: texts.admitted(name, released) });
    },
    'contacts',
    'events',
  );
  const block = useChange(() => answer(api.POST('/api/v1/contacts/{id}/block', { params })), 'contacts');
  const unblock = useChange(() => answer(api.POST('/api/v1/contacts/{id}/unblock', { params })), 'contacts');
  return (
    <Group gap="xs">
      {status === 'unknown' && (
        <ActionButton size={size} reason={reason} loading={admit.isPending} onClick={() => admit.mutate()}>
          {texts.admit}
        </ActionButton>
      )}
      {status === 'blocked' ? (
        <ActionButton
          size={size}
          variant="default"
          reason={reason}
          loading={unblock.isPending}
          onClick={() => unblock.mutate()}
        >
          {texts.unblock}
        </ActionButton>
      ) : (
        <ConfirmAction
          size={size}
          reason={reason}
          loading={block.isPending}
          question={texts.blockQuestion(name)}
          onConfirm={() => block.mutate()}
        >
          {texts.block}
        </ConfirmAction>
      )}
      <ProblemAlert error={admit.error ?? block.error ?? unblock.error} />
    </Group>
  );
}
