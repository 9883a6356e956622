import { Grid, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import type { Schema } from '../../api/named-schema.js';
import { toolTexts } from '../../texts/tools.js';
import { Editable } from '../../ui/editable.js';
import { SaveBar } from '../../ui/save-bar.js';
import { useDraft } from '../../ui/use-draft.js';
import { SourceEditor } from './source-editor.js';
import { ToolGrade } from './tool-grade.js';
import { TryTool } from './try-tool.js';
import { useToolRefresh } from './use-tool-refresh.js';

/** The source, and beside it a trial call of the saved version. */
export function PythonTool({ tool }: { tool: Schema<'ToolView'> }): ReactNode {
  const may = useScope('tools:write');
  const refresh = useToolRefresh();
  const draft = useDraft({ source: tool.python_source ?? '' });
  const save = useMutation({
    mutationFn: (source: string) =>
      answer(api.PUT('/api/v1/tools/{id}/source', { params: { path: { id: tool.id } }, body: { source } })),
    onSuccess: async () => {
      notifications.show({ message: toolTexts.python.saved, color: 'teal' });
      await refresh();
      draft.discard();
    },
  });
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, lg: 7 }}>
        <Editable scope="tools:write">
          <SourceEditor
            source={draft.value.source}
            onChange={(source) => draft.set({ source })}
            error={save.error}
            readOnly={!may}
          />
          <SaveBar
            changed={draft.changed}
            saving={save.isPending}
            onSave={() => save.mutate(draft.value.source)}
            onDiscard={() => {
              draft.discard();
              save.reset();
            }}
          />
        </Editable>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 5 }}>
        <Stack gap="md">
          <TryTool tool={tool} unsaved={draft.changed} />
          <ToolGrade tool={tool} />
        </Stack>
      </Grid.Col>
    </Grid>
  );
}
