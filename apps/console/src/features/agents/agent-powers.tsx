import { Alert, MultiSelect, Radio, Stack, Switch, TagsInput } from '@mantine/core';
import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { useScope } from '../../api/session.js';
import { agentTexts } from '../../texts/agents.js';
import { AboutField } from '../../ui/about.js';
import { fieldError } from '../../ui/notices.js';
import { useApprovers } from '../../ui/use-approvers.js';
import type { PartProps } from './agent-fields.js';

const texts = agentTexts.powers;
const grades = ['read', 'write', 'destructive'] as const;

/** What the agent may do by itself, who decides on the rest, and which hosts it may reach. */
export function AgentPowers({ value, onChange, error }: PartProps): ReactNode {
  const may = useScope('approvals:manage');
  const approvers = useApprovers(value.approvers);
  return (
    <Stack gap="xl" maw={640}>
      {!may && (
        <Alert variant="light" color="gray" icon={<Lock size={16} aria-hidden />} role="note">
          {texts.lacks}
        </Alert>
      )}
      <AboutField topic="agentGrades" label={texts.mayDo}>
        <Radio.Group
          label={texts.mayDo}
          description={texts.mayDoHint}
          value={value.may_do}
          onChange={(next) => onChange({ may_do: grades.find((grade) => grade === next) })}
        >
          <Stack gap={10} mt="sm">
            {grades.map((grade) => (
              <Radio
                key={grade}
                value={grade}
                label={texts.grades[grade]}
                description={texts.gradeHints[grade]}
                // Lowering powers does not need `approvals:manage`.
                disabled={!may && grades.indexOf(grade) > grades.indexOf(value.may_do)}
              />
            ))}
          </Stack>
        </Radio.Group>
      </AboutField>
      <MultiSelect
        label={texts.approvers}
        description={value.approvers.length === 0 ? texts.nobody : texts.approversHint}
        searchable
        disabled={!may}
        data={approvers}
        value={value.approvers}
        error={fieldError(error, 'approvers')}
        onChange={(next) => onChange({ approvers: next })}
      />
      <Switch
        label={texts.decideOwn}
        description={texts.decideOwnHint}
        // Taking the right away does not need `approvals:manage`.
        disabled={!may && !value.approvers_decide_own}
        checked={value.approvers_decide_own}
        onChange={(event) => onChange({ approvers_decide_own: event.currentTarget.checked })}
      />
      <TagsInput
        label={texts.hosts}
        description={texts.hostsHint}
        disabled={!may}
        value={value.allowed_hosts}
        error={fieldError(error, 'allowed_hosts')}
        onChange={(next) => onChange({ allowed_hosts: next })}
      />
    </Stack>
  );
}
