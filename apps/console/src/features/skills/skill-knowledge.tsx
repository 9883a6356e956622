import { Input, Stack, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { skillTexts } from '../../texts/skills.js';
import { CodeEditor } from '../../ui/code-editor.js';
import { NameField } from '../../ui/name-field.js';
import { fieldError } from '../../ui/notices.js';

/** The editable fields of a Skill. */
type SkillValues = Pick<Schema<'SkillView'>, 'name' | 'description' | 'knowledge' | 'tools' | 'credentials'>;

export const skillFields = ['name', 'description', 'knowledge'];

export function valuesOf({ name, description, knowledge, tools, credentials }: Schema<'SkillView'>): SkillValues {
  return { name, description, knowledge, tools, credentials };
}

export interface PartProps {
  value: SkillValues;
  onChange: (patch: Partial<SkillValues>) => void;
  error: unknown;
  readOnly: boolean;
}

const texts = skillTexts.fields;

export function SkillKnowledge({ value, onChange, error, readOnly }: PartProps): ReactNode {
  return (
    <Stack gap="md" maw={900}>
      <NameField value={value.name} error={error} onChange={(name) => onChange({ name })} />
      <Textarea
        label={texts.description}
        description={texts.descriptionHint}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={1_024}
        value={value.description}
        error={fieldError(error, 'description')}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
      <Input.Wrapper
        label={texts.knowledge}
        description={texts.knowledgeHint}
        labelElement="div"
        error={fieldError(error, 'knowledge')}
      >
        <div style={{ marginTop: 6 }}>
          <CodeEditor
            label={texts.knowledge}
            language="markdown"
            value={value.knowledge}
            onChange={(knowledge) => onChange({ knowledge })}
            readOnly={readOnly}
            height={300}
          />
        </div>
      </Input.Wrapper>
    </Stack>
  );
}
