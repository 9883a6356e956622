import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { workflowTexts } from '../../texts/workflows.js';
import { FormModal } from '../../ui/form-modal.js';
import { useRefresh } from '../../api/use-change.js';
import { touched } from './queries.js';
import { WorkflowFields, workflowFields, type WorkflowValues } from './workflow-fields.js';

const nothing: WorkflowValues = { name: '', agent_id: null, instructions: '' };

export function NewWorkflow({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh(...touched);
  const [value, setValue] = useState(nothing);
  const create = useMutation({
    mutationFn: () => answer(api.POST('/api/v1/workflows', { body: value })),
    onSuccess: async ({ id }) => {
      await refresh();
      void navigate({ to: '/p/$projectId/workflows/$workflowId', params: { projectId, workflowId: String(id) } });
    },
  });
  return (
    <FormModal
      opened={opened}
      title={workflowTexts.create}
      submit={workflowTexts.createAction}
      size="lg"
      saving={create.isPending}
      error={create.error}
      fields={workflowFields}
      ready={value.name.trim() !== ''}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <WorkflowFields value={value} error={create.error} onChange={(patch) => setValue({ ...value, ...patch })} />
    </FormModal>
  );
}
