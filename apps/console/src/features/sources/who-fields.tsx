import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { sourceTexts } from '../../texts/sources.js';
import type { Source } from './use-source.js';

const texts = sourceTexts.form;
export type Who = Pick<Source, 'trust' | 'audience'>;

/** How far its documents are trusted, and who gets answers from them. */
export function WhoFields({ value, onChange }: { value: Who; onChange: (value: Who) => void }): ReactNode {
  return (
    <>
      <Select
        label={texts.trust}
        data={(['untrusted', 'owner'] as const).map((one) => ({ value: one, label: texts.trusts[one] }))}
        value={value.trust}
        allowDeselect={false}
        onChange={(trust) => trust && onChange({ ...value, trust })}
      />
      <Select
        label={texts.audience}
        data={(['known', 'everyone'] as const).map((one) => ({ value: one, label: texts.audiences[one] }))}
        value={value.audience}
        allowDeselect={false}
        onChange={(audience) => audience && onChange({ ...value, audience })}
      />
    </>
  );
}
