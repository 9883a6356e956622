import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import type { Schema } from '../../api/named-schema.js';
import { useChange } from '../../api/use-change.js';
import { operationsTexts } from '../../texts/operations.js';
import { ConfirmAction } from '../../ui/confirm-action.js';
import { ProblemAlert } from '../../ui/problem-alert.js';

const texts = operationsTexts.letters;

interface RedriveAllProps {
  filter: Pick<Schema<'RedriveMany'>, 'app_id' | 'stage' | 'reason'>;
  reason: string | null;
  onBegun: (batch: string) => void;
}

/** Sends all on their way again that the filter finds, also those that are not shown yet. */
export function RedriveAll({ filter, reason, onBegun }: RedriveAllProps): ReactNode {
  const redrive = useChange(
    () => answer(api.POST('/api/v1/events/dead-letters/redrive', { body: filter })),
    'dead-letters',
  );
  return (
    <>
      <ConfirmAction
        reason={reason}
        loading={redrive.isPending}
        question={texts.redriveAllQuestion}
        onConfirm={() => redrive.mutate(undefined, { onSuccess: ({ id }) => onBegun(id) })}
      >
        {texts.redriveAll}
      </ConfirmAction>
      <ProblemAlert error={redrive.error} />
    </>
  );
}
