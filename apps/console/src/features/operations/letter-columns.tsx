import type { Schema } from '../../api/named-schema.js';
import { operationsTexts } from '../../texts/operations.js';
import { uiTexts } from '../../texts/ui.js';
import { ActionButton } from '../../ui/action-button.js';
import type { Column } from '../../ui/data-table.js';
import { AppName } from '../../ui/name-of.js';
import { NameOver } from '../../ui/name-over.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';

type Letter = Schema<'DeadLetterView'>;

interface LetterColumns {
  /** Why this person cannot redrive; null: they can. */
  reason: string | null;
  redrive: (id: string) => void;
}

const texts = operationsTexts.letters;

export function letterColumns({ reason, redrive }: LetterColumns): Column<Letter>[] {
  const { columns } = texts;
  return [
    {
      id: 'why',
      label: columns.why,
      width: 'minmax(0, 3fr)',
      cell: ({ reason: code, error, redrive_error }) => (
        <NameOver name={redrive_error ?? error ?? code ?? texts.noReason} under={<code>{code}</code>} />
      ),
    },
    {
      id: 'stage',
      label: columns.stage,
      cell: ({ stage }) => texts.stages[stage as keyof typeof texts.stages] ?? stage,
    },
    { id: 'app', label: columns.app, cell: ({ app_id }) => <AppName id={app_id} />, hideOnPhone: true },
    {
      id: 'state',
      label: columns.state,
      width: '150px',
      cell: ({ state, outcome }) =>
        state === 'open' ? (
          <StatusBadge status={texts.states.open} tone="bad" />
        ) : (
          <StatusBadge status={outcome ?? state} />
        ),
    },
    { id: 'at', label: columns.at, ordered: true, width: '100px', cell: ({ at }) => <When at={at} relative /> },
    {
      id: 'redrive',
      label: uiTexts.actions,
      width: '100px',
      cell: ({ id, state }) =>
        state === 'open' && (
          <ActionButton size="compact-sm" variant="default" reason={reason} onClick={() => redrive(id)}>
            {texts.redrive}
          </ActionButton>
        ),
    },
  ];
}
