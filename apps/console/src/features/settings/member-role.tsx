import { Button, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerWithEtag, api } from '../../api/client.js';
import { projectKey, useProjectId } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import { type Tagged, useGuardedEdit } from '../../api/use-guarded-edit.js';
import { settingsTexts } from '../../texts/settings.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { RoleSelect } from './role-select.js';

type Member = Schema<'MemberView'>;
const texts = settingsTexts.members;
const valuesOf = ({ role }: Member) => ({ role });

export const readMember = (id: string, signal?: AbortSignal): Promise<Tagged<Member>> =>
  answerWithEtag(api.GET('/api/v1/members/{id}', { params: { path: { id } }, signal }));

export function MemberRole({ shown }: { shown: Tagged<Member> }): ReactNode {
  // The state when the page opened: data fetched later must not count as what the person saw.
  const [base, setBase] = useState(shown);
  const { id } = base.data;
  const [role, setRole] = useState(base.data.role);
  const queryClient = useQueryClient();
  const projectId = useProjectId();
  const edit = useGuardedEdit({
    base,
    toValues: valuesOf,
    read: () => readMember(id),
    save: async (body: Pick<Member, 'role'>, etag) => {
      setBase(
        await answerWithEtag(
          api.PATCH('/api/v1/members/{id}', {
            params: { path: { id }, header: etag ? { 'If-Match': etag } : {} },
            body,
          }),
        ),
      );
    },
    onTheirs: (theirs) => setRole(theirs.role),
    onSaved: () => void queryClient.invalidateQueries({ queryKey: projectKey(projectId, ['members']) }),
  });
  return (
    <Stack gap="sm" maw={520} align="stretch">
      <RoleSelect value={role} onChange={setRole} />
      <ProblemAlert error={edit.error} />
      {role !== base.data.role && (
        <Button w="fit-content" loading={edit.saving} onClick={() => edit.save({ role })}>
          {texts.saveRole(settingsTexts.roleNames[role])}
        </Button>
      )}
      <EtagConflict label={texts.role} {...edit.conflict} />
    </Stack>
  );
}
