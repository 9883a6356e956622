import { Select, TagsInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../api/client.js';
import { accessTexts as texts } from '../texts/access.js';
import { fieldError } from './notices.js';

const audiences = ['known', 'everyone', 'listed'] as const;
const most = 500;

export type Access = Pick<Schema<'DocumentView'>, 'audience' | 'readers'>;

interface AccessFieldsProps {
  value: Access;
  error: Error | null;
  onChange: (access: Access) => void;
  /** Before `readers`, where the error names them in a list. */
  within?: string;
}

/** Who may get answers from documents. */
export function AccessFields({ value, error, onChange, within = '' }: AccessFieldsProps): ReactNode {
  return (
    <>
      <Select
        label={texts.audience}
        allowDeselect={false}
        data={audiences.map((audience) => ({ value: audience, label: texts.audiences[audience] }))}
        value={value.audience}
        onChange={(next) => {
          const audience = audiences.find((one) => one === next) ?? 'known';
          onChange({ audience, readers: audience === 'listed' ? value.readers : [] });
        }}
      />
      {value.audience === 'listed' && (
        <TagsInput
          label={texts.readers}
          description={texts.hint}
          placeholder={value.readers.length === 0 ? texts.example : ''}
          maxTags={most}
          acceptValueOnBlur
          value={value.readers}
          error={fieldError(error, `${within}readers`)}
          onChange={(readers) => onChange({ ...value, readers })}
        />
      )}
    </>
  );
}
