import { Input, Stack, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { skillTexts } from '../../texts/skills.js';
import { CodeEditor } from '../../ui/code-editor.js';
import { fieldError } from '../../ui/field-errors.js';
import { NameField } from '../../ui/name-field.js';
import type { PartProps } from './skill-values.js';

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
