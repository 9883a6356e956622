import { Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { projectKey, useProjectId } from '../../api/project-query.js';
import { agentTexts } from '../../texts/agents.js';
import { fieldError } from '../../ui/field-errors.js';
import { FormModal } from '../../ui/form-modal.js';
import { NameField } from '../../ui/name-field.js';

export function NewAgent({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [instructions, setInstructions] = useState('');
  const create = useMutation({
    mutationFn: () => answer(api.POST('/api/v1/agents', { body: { name, instructions } })),
    onSuccess: ({ id }) => {
      void queryClient.invalidateQueries({ queryKey: projectKey(projectId, ['agents']) });
      void navigate({
        to: '/p/$projectId/agents/$agentId',
        params: { projectId, agentId: id },
        search: { tab: 'tools' },
      });
    },
  });
  const texts = agentTexts.fields;
  return (
    <FormModal
      opened={opened}
      title={agentTexts.create}
      submit={agentTexts.createAction}
      size="lg"
      saving={create.isPending}
      error={create.error}
      fields={['name', 'instructions']}
      ready={name.trim() !== ''}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <NameField first value={name} error={create.error} onChange={setName} />
      <Textarea
        label={texts.instructions}
        description={texts.instructionsHint}
        autosize
        minRows={5}
        maxRows={20}
        value={instructions}
        error={fieldError(create.error, 'instructions')}
        onChange={(event) => setInstructions(event.currentTarget.value)}
      />
    </FormModal>
  );
}
