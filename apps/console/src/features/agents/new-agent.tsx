import { Checkbox, Group, MultiSelect, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { useApps, useTools } from '../../api/choices.js';
import { answer, api } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { useRefresh } from '../../api/use-change.js';
import { agentTexts } from '../../texts/agents.js';
import { FormModal } from '../../ui/dialog.js';
import { NameField } from '../../ui/name-field.js';
import { fieldError } from '../../ui/notices.js';

const texts = agentTexts.fields;
const builtinPrefix = 'builtin:';

/** Makes an agent with its tools, and has it answer the messages of Apps. */
export function NewAgent({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh('agents', 'channels');
  const mayRoute = useScope('channels:write');
  const { data: tools = [] } = useTools({ enabled: useScope('tools:read') });
  const { data: apps = [] } = useApps();
  const [name, setName] = useState('');
  const [instructions, setInstructions] = useState('');
  const [chosen, setChosen] = useState<string[]>([]);
  const [answers, setAnswers] = useState<string[]>([]);
  /** Made before an App's channel was refused: a second attempt does not make another one. */
  const made = useRef<string | null>(null);
  const create = useMutation({
    mutationFn: async () => {
      const builtin = chosen.filter((id) => id.startsWith(builtinPrefix)).map((id) => id.slice(builtinPrefix.length));
      const python_tools = chosen.filter((id) => !id.startsWith(builtinPrefix));
      const body = { name, instructions, tools: builtin, python_tools };
      made.current ??= (await answer(api.POST('/api/v1/agents', { body }))).id;
      const agent_id = made.current;
      for (const appId of answers) {
        await answer(api.PATCH('/api/v1/channels/{appId}', { params: { path: { appId } }, body: { agent_id } }));
      }
      return agent_id;
    },
    onSuccess: (id) => {
      const params = { projectId, agentId: id };
      return navigate({ to: '/p/$projectId/agents/$agentId', params, search: { tab: 'tools' } });
    },
    onSettled: refresh,
  });
  const given = tools.filter(({ source }) => source !== 'mcp');
  const receiving = apps.filter(({ state, capabilities }) => state !== 'retired' && capabilities.includes('receive'));
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
      {mayRoute && receiving.length > 0 && (
        <Checkbox.Group label={texts.answers} description={texts.answersHint} value={answers} onChange={setAnswers}>
          <Group mt={6}>
            {receiving.map((app) => (
              <Checkbox key={app.id} value={app.id} label={app.name} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
      {given.length > 0 && (
        <MultiSelect
          label={texts.tools}
          description={texts.toolsHint}
          searchable
          // Below it are the buttons.
          comboboxProps={{ position: 'top' }}
          data={given.map((tool) => ({ value: tool.id, label: tool.title ?? tool.name }))}
          value={chosen}
          onChange={setChosen}
        />
      )}
    </FormModal>
  );
}
