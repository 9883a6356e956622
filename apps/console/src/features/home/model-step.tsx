import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useProjectQuery } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import { homeTexts } from '../../texts/home.js';
import { CodeBlock } from '../../ui/code-block.js';
import { modelQuestion } from './questions.js';

const texts = homeTexts.checklist;
const command = 'MODEL_BASE_URL=https://api.openai.com/v1 MODEL_NAME=gpt-5-mini MODEL_API_KEY=… npm start';

export function useModel(): Schema<'ModelSettingsView'> | undefined {
  return useProjectQuery(...modelQuestion).data;
}

/** How to connect a model, which is a setting of the installation; or to go on without one. */
export function ModelStep({ model, onKeep }: { model: Schema<'ModelSettingsView'>; onKeep: () => void }): ReactNode {
  if (model.mode === 'connected') return null;
  return (
    <Stack gap="sm" align="flex-start">
      <div style={{ width: '100%' }}>
        <CodeBlock code={command} label={texts.modelCommand} />
      </div>
      <Button variant="default" onClick={onKeep}>
        {texts.keepRehearsal}
      </Button>
    </Stack>
  );
}
