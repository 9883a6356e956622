import { Text } from '@mantine/core';
import type { Role } from '../../api/roles.js';
import type { Schema } from '../../api/named-schema.js';
import { settingsTexts } from '../../texts/settings.js';
import { uiTexts } from '../../texts/ui.js';
import { ConfirmAction } from '../../ui/confirm-action.js';
import type { Column } from '../../ui/data-table.js';
import { NameOver } from '../../ui/name-over.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';

type Key = Schema<'ApiKeyView'>;

interface KeyColumns {
  roles: Role[];
  nameOf: (subject: string) => string;
  /** Why this person cannot revoke keys; null: they can. */
  reason: string | null;
  revoke: (key: Key) => void;
}

const texts = settingsTexts.keys;

export function keyColumns({ roles, nameOf, reason, revoke }: KeyColumns): Column<Key>[] {
  const { columns } = texts;
  return [
    {
      id: 'name',
      label: columns.name,
      width: 'minmax(0, 2fr)',
      cell: ({ name, last4, made_by_user_id }) => (
        <NameOver
          name={name}
          under={
            <>
              <code>…{last4}</code> {made_by_user_id && texts.madeBy(nameOf(`user:${made_by_user_id}`))}
            </>
          }
        />
      ),
    },
    {
      id: 'scopes',
      label: columns.scopes,
      width: 'minmax(0, 2fr)',
      cell: ({ scopes }) => (
        <Text span inherit title={scopes.join(', ')}>
          {said(scopes, roles)}
        </Text>
      ),
    },
    { id: 'state', label: columns.state, width: '100px', cell: (key) => <StatusBadge status={stateOf(key)} /> },
    {
      id: 'expires',
      label: columns.expires,
      width: '120px',
      cell: ({ expires_at }) => <When at={expires_at} relative />,
      hideOnPhone: true,
    },
    {
      id: 'used',
      label: columns.used,
      width: '120px',
      cell: ({ last_used_at }) => <When at={last_used_at} relative />,
    },
    {
      id: 'revoke',
      label: uiTexts.actions,
      width: '96px',
      cell: (key) =>
        stateOf(key) === 'active' && (
          <ConfirmAction
            size="compact-sm"
            reason={reason}
            question={texts.revokeQuestion(key.name)}
            onConfirm={() => revoke(key)}
          >
            {texts.revoke}
          </ConfirmAction>
        ),
    },
  ];
}

function stateOf({ revoked_at, expires_at }: Key): string {
  if (revoked_at) return 'revoked';
  return expires_at && new Date(expires_at) <= new Date() ? 'expired' : 'active';
}

/** In short: the role with the same scopes, else the scopes themselves. */
function said(scopes: string[], roles: Role[]): string {
  if (scopes.includes('admin')) return texts.everything;
  const same = roles.find((role) => role.scopes.length === scopes.length && scopes.every((one) => has(role, one)));
  return same ? texts.likeRole(settingsTexts.roleNames[same.name]) : scopes.join(', ');
}

const has = (role: Role, scope: string): boolean => role.scopes.some((one) => one === scope);
