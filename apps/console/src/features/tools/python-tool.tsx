import { Grid, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import { toolTexts } from '../../texts/tools.js';
import { Editable } from '../../ui/editable.js';
import { SaveBar } from '../../ui/save-bar.js';
import { useEditor } from '../../ui/use-editor.js';
import { SourceEditor } from './source-editor.js';
import { ToolGrade } from './tool-grade.js';
import { TryTool } from './try-tool.js';
import { WhyNot } from './why-not.js';

/** The source, and beside it a trial call of the saved version. */
export function PythonTool({ tool }: { tool: Schema<'ToolView'> }): ReactNode {
  const may = useScope('tools:write');
  const { id, python_source } = tool;
  const editor = useEditor({
    saved: { source: python_source ?? '' },
    touched: ['tools'],
    announce: toolTexts.python.saved,
    save: ({ value: body }) => answer(api.PUT('/api/v1/tools/{id}/source', { params: { path: { id } }, body })),
  });
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, lg: 7 }}>
        <Editable scope="tools:write">
          <SourceEditor
            source={editor.value.source}
            onChange={(source) => editor.set({ source })}
            error={editor.error}
            readOnly={!may}
          />
          <SaveBar {...editor.bar} />
        </Editable>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 5 }}>
        <Stack gap="md">
          <TryTool tool={tool} unsaved={editor.changed} />
          <WhyNot tool={tool} />
          <ToolGrade tool={tool} />
        </Stack>
      </Grid.Col>
    </Grid>
  );
}
