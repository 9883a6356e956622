import { SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { agentTexts } from '../../texts/agents.js';
import { fieldError } from '../../ui/field-errors.js';
import { NameField } from '../../ui/name-field.js';
import type { PartProps } from './agent-values.js';

const texts = agentTexts.fields;

export function AgentInstructions({ value, onChange, error }: PartProps): ReactNode {
  return (
    <Stack gap="md" maw={820}>
      <NameField value={value.name} error={error} onChange={(name) => onChange({ name })} />
      <Textarea
        label={texts.instructions}
        description={texts.instructionsHint}
        autosize
        minRows={8}
        maxRows={30}
        value={value.instructions}
        error={fieldError(error, 'instructions')}
        onChange={(event) => onChange({ instructions: event.currentTarget.value })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={texts.model}
          description={texts.modelHint}
          placeholder={agentTexts.defaultModel}
          value={value.model ?? ''}
          error={fieldError(error, 'model')}
          onChange={(event) => onChange({ model: event.currentTarget.value || null })}
        />
        <TextInput
          label={texts.fallback}
          description={texts.fallbackHint}
          value={value.fallback_model ?? ''}
          error={fieldError(error, 'fallback_model')}
          onChange={(event) => onChange({ fallback_model: event.currentTarget.value || null })}
        />
      </SimpleGrid>
    </Stack>
  );
}
