import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/named-schema.js';
import { useScope } from '../../api/session.js';
import { mcpTexts } from '../../texts/mcp-servers.js';

const texts = mcpTexts.fields;

export type Trust = Schema<'ServerView'>['trust'];
/** Least first. */
export const trusts: readonly Trust[] = ['untrusted', 'partner', 'own'];

interface TrustFieldProps {
  value: Trust;
  /** What is in force, which anybody may keep. */
  now: Trust;
  recommended?: Schema<'ServerView'>['recommended_trust'];
  onChange: (trust: Trust) => void;
}

/** How far results are trusted. More than what is in force is a power. */
export function TrustField({ value, now, recommended, onChange }: TrustFieldProps): ReactNode {
  const may = useScope('approvals:manage');
  const hints = [
    texts.trustHints[value],
    recommended && recommended.trust !== value
      ? texts.recommended(texts.trusts[recommended.trust], recommended.why)
      : '',
    may ? '' : texts.trustLacks,
  ];
  return (
    <Select
      label={texts.trust}
      description={hints.filter((hint) => hint !== '').join(' ')}
      allowDeselect={false}
      data={trusts.map((trust) => ({
        value: trust,
        label: texts.trusts[trust],
        disabled: !may && trusts.indexOf(trust) > trusts.indexOf(now),
      }))}
      value={value}
      onChange={(next) => onChange(trusts.find((trust) => trust === next) ?? 'untrusted')}
    />
  );
}
