import { Button, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import type { Role } from '../../api/roles.js';
import type { Schema } from '../../api/named-schema.js';
import { useChange } from '../../api/use-change.js';
import { settingsTexts } from '../../texts/settings.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { RoleSelect } from './role-select.js';

const texts = settingsTexts.members;

export function MemberRole({ member }: { member: Schema<'MemberView'> }): ReactNode {
  const [chosen, setChosen] = useState<Role['name'] | null>(null);
  const role = chosen ?? member.role;
  const save = useChange(
    () => answer(api.PATCH('/api/v1/members/{id}', { params: { path: { id: member.id } }, body: { role } })),
    'members',
  );
  return (
    <Stack gap="sm" maw={520} align="stretch">
      <RoleSelect value={role} onChange={setChosen} />
      <ProblemAlert error={save.error} />
      {role !== member.role && (
        <Button
          w="fit-content"
          loading={save.isPending}
          onClick={() => save.mutate(undefined, { onSuccess: () => setChosen(null) })}
        >
          {texts.saveRole(settingsTexts.roleNames[role])}
        </Button>
      )}
    </Stack>
  );
}
