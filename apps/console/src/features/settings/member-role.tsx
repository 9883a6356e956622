import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api, type Tagged } from '../../api/client.js';
import type { Schema } from '../../api/named-schema.js';
import { settingsTexts } from '../../texts/settings.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { useEditor } from '../../ui/use-editor.js';
import { RoleSelect } from './role-select.js';

const texts = settingsTexts.members;

export function MemberRole({ shown: { data, etag } }: { shown: Tagged<Schema<'MemberView'>> }): ReactNode {
  const { id, role } = data;
  const editor = useEditor({
    saved: { role },
    etag,
    touched: ['members'],
    save: ({ value: body }, match) =>
      answer(api.PATCH('/api/v1/members/{id}', { params: { path: { id }, header: { 'If-Match': match } }, body })),
  });
  const chosen = editor.value.role;
  return (
    <Stack gap="sm" maw={520} align="stretch">
      <RoleSelect value={chosen} onChange={(next) => editor.set({ role: next })} />
      <ProblemAlert error={editor.error} />
      {editor.changed && (
        <Button w="fit-content" loading={editor.saving} onClick={editor.save}>
          {texts.saveRole(settingsTexts.roleNames[chosen])}
        </Button>
      )}
      <EtagConflict label={texts.role} {...editor.conflict} />
    </Stack>
  );
}
