import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import type { Schema } from '../../api/named-schema.js';
import { uiTexts } from '../../texts/ui.js';
import { workflowTexts } from '../../texts/workflows.js';
import { Editable } from '../../ui/editable.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { errorBeside } from '../../ui/field-errors.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { SaveBar } from '../../ui/save-bar.js';
import { useEditor } from '../../ui/use-editor.js';
import { touched } from './queries.js';
import { WorkflowFields, workflowFields, type WorkflowValues } from './workflow-fields.js';

interface WorkflowSettingsProps {
  workflow: Schema<'WorkflowView'>;
  etag: string | null;
}

export function WorkflowSettings({ workflow, etag }: WorkflowSettingsProps): ReactNode {
  const { id, name, agent_id, instructions } = workflow;
  const editor = useEditor<WorkflowValues>({
    saved: { name, agent_id, instructions },
    etag,
    touched,
    announce: uiTexts.saved,
    save: ({ change: body }, match) =>
      answer(api.PATCH('/api/v1/workflows/{id}', { params: { path: { id }, header: { 'If-Match': match } }, body })),
  });
  return (
    <Editable scope="workflows:write">
      <WorkflowFields value={editor.value} error={editor.error} onChange={editor.set} />
      <ProblemAlert error={errorBeside(editor.error, workflowFields)} />
      <SaveBar {...editor.bar} />
      <EtagConflict label={workflowTexts.title} {...editor.conflict} />
    </Editable>
  );
}
