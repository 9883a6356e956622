import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import type { Schema } from '../../api/named-schema.js';
import { uiTexts } from '../../texts/ui.js';
import { workflowTexts } from '../../texts/workflows.js';
import { Editable } from '../../ui/editable.js';
import { isConflict } from '../../api/problem.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { errorBeside } from '../../ui/field-errors.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { SaveBar } from '../../ui/save-bar.js';
import { useDraft } from '../../ui/use-draft.js';
import { useRefresh } from './queries.js';
import { WorkflowFields, workflowFields, type WorkflowValues } from './workflow-fields.js';

interface WorkflowSettingsProps {
  workflow: Schema<'WorkflowView'>;
  etag: string | null;
}

export function WorkflowSettings({ workflow, etag }: WorkflowSettingsProps): ReactNode {
  const refresh = useRefresh();
  const { name, agent_id, instructions } = workflow;
  const draft = useDraft<WorkflowValues>({ name, agent_id, instructions }, etag);
  const save = useMutation({
    mutationFn: (match: string | null) =>
      answer(
        api.PATCH('/api/v1/workflows/{id}', {
          params: { path: { id: workflow.id }, header: match ? { 'If-Match': match } : {} },
          body: draft.change,
        }),
      ),
    onSuccess: () => {
      draft.discard();
      notifications.show({ message: uiTexts.saved, color: 'teal' });
    },
    onSettled: refresh,
  });
  const shown = isConflict(save.error) ? null : errorBeside(save.error, workflowFields);
  return (
    <Editable scope="workflows:write">
      <WorkflowFields value={draft.value} error={save.error} onChange={draft.set} />
      <ProblemAlert error={shown} />
      <SaveBar
        changed={draft.changed}
        saving={save.isPending}
        onSave={() => save.mutate(draft.etag)}
        onDiscard={draft.discard}
      />
      <EtagConflict
        error={save.error}
        label={workflowTexts.title}
        theirs={{ name, agent_id, instructions }}
        mine={draft.value}
        onTakeTheirs={() => {
          draft.discard();
          save.reset();
        }}
        onSaveMine={() => save.mutate(null)}
        onClose={save.reset}
      />
    </Editable>
  );
}
