import { Select, Stack, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAgents } from '../../api/choices.js';
import { workflowTexts } from '../../texts/workflows.js';
import { NameField } from '../../ui/name-field.js';
import { fieldError } from '../../ui/notices.js';
import { type DraftObject, JsonObjectField, objectToSave } from './json-object-field.js';

export interface WorkflowValues {
  name: string;
  agent_id: string | null;
  instructions: string;
  output_schema: DraftObject;
}

export const workflowFields = ['name', 'agent_id', 'instructions', 'output_schema'] as const;

/** @throws Error where a field cannot be saved as it is */
export function toSave<Part extends Partial<WorkflowValues>>({ output_schema, ...rest }: Part) {
  return output_schema === undefined
    ? rest
    : { ...rest, output_schema: objectToSave(output_schema, workflowTexts.fields.noJson) };
}

interface WorkflowFieldsProps {
  value: WorkflowValues;
  error: unknown;
  onChange: (patch: Partial<WorkflowValues>) => void;
}

const chief = 'chief-of-staff';

export function WorkflowFields({ value, error, onChange }: WorkflowFieldsProps): ReactNode {
  const { data: agents = [] } = useAgents();
  const texts = workflowTexts.fields;
  const others = agents.filter(({ is_chief_of_staff }) => !is_chief_of_staff);
  const isChief =
    value.agent_id === null || agents.some(({ id, is_chief_of_staff }) => is_chief_of_staff && id === value.agent_id);
  return (
    <Stack gap="md" maw={640}>
      <NameField value={value.name} error={error} onChange={(name) => onChange({ name })} />
      <Select
        label={texts.agent}
        description={texts.agentHint}
        data={[
          { value: chief, label: workflowTexts.chiefOfStaff },
          ...others.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        searchable
        allowDeselect={false}
        value={isChief ? chief : value.agent_id}
        error={fieldError(error, 'agent_id')}
        onChange={(next) => onChange({ agent_id: next === chief ? null : next })}
      />
      <Textarea
        label={texts.instructions}
        description={texts.instructionsHint}
        autosize
        minRows={4}
        maxRows={24}
        maxLength={20_000}
        value={value.instructions}
        error={fieldError(error, 'instructions')}
        onChange={(event) => onChange({ instructions: event.currentTarget.value })}
      />
      <JsonObjectField
        label={texts.outputSchema}
        description={texts.outputSchemaHint}
        value={value.output_schema}
        noJson={texts.noJson}
        error={fieldError(error, 'output_schema')}
        onChange={(output_schema) => onChange({ output_schema })}
      />
    </Stack>
  );
}
