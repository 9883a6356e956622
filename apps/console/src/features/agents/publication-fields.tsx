import { Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { publishTexts as texts } from '../../texts/publish.js';
import { fieldError } from '../../ui/notices.js';

export type PublicationValues = Required<Schema<'Publish'>>;

/** The fields that show their own error. */
export const publicationFields: readonly (keyof PublicationValues)[] = ['name', 'description', 'examples'];

interface PublicationFieldsProps {
  value: PublicationValues;
  onChange: (patch: Partial<PublicationValues>) => void;
  error: unknown;
}

/** What callers learn of a published agent. */
export function PublicationFields({ value, onChange, error }: PublicationFieldsProps): ReactNode {
  const { name, description, examples } = value;
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {texts.hint}
      </Text>
      <TextInput
        label={texts.name}
        description={texts.nameHint(name)}
        required
        maxLength={48}
        value={name}
        error={fieldError(error, 'name')}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <Textarea
        label={texts.description}
        description={texts.descriptionHint}
        required
        autosize
        minRows={2}
        maxLength={2_000}
        value={description}
        error={fieldError(error, 'description')}
        onChange={(event) => onChange({ description: event.target.value })}
      />
      <TagsInput
        label={texts.examples}
        description={texts.examplesHint}
        maxTags={10}
        value={examples}
        error={fieldError(error, 'examples')}
        onChange={(next) => onChange({ examples: next })}
      />
    </Stack>
  );
}
