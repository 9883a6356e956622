import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { useScope } from '../../api/session.js';
import { mcpTexts } from '../../texts/mcp-servers.js';
import type { ServerValues } from './server-values.js';

const texts = mcpTexts.fields;
const policies = ['block', 'warn', 'auto'] as const;

interface PolicyFieldProps {
  value: ServerValues['policy'];
  onChange: (policy: ServerValues['policy']) => void;
}

/** What happens when a server changes a tool. Everything except waiting is a power. */
export function PolicyField({ value, onChange }: PolicyFieldProps): ReactNode {
  const may = useScope('approvals:manage');
  return (
    <Select
      label={texts.policy}
      description={may ? undefined : texts.policyLacks}
      allowDeselect={false}
      data={policies.map((policy) => ({
        value: policy,
        label: texts.policies[policy],
        disabled: !may && policy !== 'block' && policy !== value,
      }))}
      value={value}
      onChange={(next) => onChange(policies.find((policy) => policy === next) ?? 'block')}
    />
  );
}
