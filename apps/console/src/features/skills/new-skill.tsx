import { Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { skillTexts } from '../../texts/skills.js';
import { fieldError } from '../../ui/field-errors.js';
import { FormModal } from '../../ui/form-modal.js';
import { NameField } from '../../ui/name-field.js';
import { useRefresh } from '../../api/use-change.js';

const texts = skillTexts.fields;

export function NewSkill({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh('skills', 'agents', 'tools');
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const create = useMutation({
    mutationFn: () => answer(api.POST('/api/v1/skills', { body: { name, description } })),
    onSuccess: ({ id }) => {
      void refresh();
      void navigate({ to: '/p/$projectId/skills/$skillId', params: { projectId, skillId: id } });
    },
  });
  return (
    <FormModal
      opened={opened}
      title={skillTexts.create}
      submit={skillTexts.createAction}
      saving={create.isPending}
      error={create.error}
      fields={['name', 'description']}
      ready={name.trim() !== ''}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <NameField first value={name} error={create.error} onChange={setName} />
      <Textarea
        label={texts.description}
        description={texts.descriptionHint}
        autosize
        minRows={2}
        maxLength={1_024}
        value={description}
        error={fieldError(create.error, 'description')}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
    </FormModal>
  );
}
