import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { uiTexts } from '../../texts/ui.js';
import { type Access, AccessFields } from '../../ui/access-fields.js';
import { Editable } from '../../ui/editable.js';
import { errorBeside, ProblemAlert } from '../../ui/notices.js';
import { useEditor } from '../../ui/use-editor.js';

/** Changes who may get answers from a document that no source keeps. */
export function Readers({ document: { id, audience, readers } }: { document: Schema<'DocumentView'> }): ReactNode {
  const editor = useEditor<Access>({
    saved: { audience, readers },
    touched: ['knowledge'],
    save: ({ value: body }) => answer(api.PATCH('/api/v1/knowledge/{id}', { params: { path: { id } }, body })),
  });
  return (
    <Editable scope="knowledge:write">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          editor.save();
        }}
      >
        <Stack gap="md" maw={520}>
          <AccessFields value={editor.value} error={editor.error} onChange={editor.set} />
          <ProblemAlert error={errorBeside(editor.error, ['readers'])} />
          {editor.changed && (
            <Group gap="xs">
              <Button type="submit" loading={editor.saving}>
                {uiTexts.save}
              </Button>
              <Button variant="default" onClick={editor.discard}>
                {uiTexts.discard}
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Editable>
  );
}
