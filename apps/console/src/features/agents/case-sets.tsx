import { Group, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { usePrincipalName } from '../../api/principals.js';
import { useChange } from '../../api/use-change.js';
import { comparisonTexts as texts } from '../../texts/comparisons.js';
import { ActionButton, ConfirmAction } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { When } from '../../ui/when.js';

type CaseSet = Schema<'CaseSetView'>;

/** The sets of an agent, each of which can be deleted. */
export function CaseSets({ agentId, sets }: { agentId: string; sets: CaseSet[] }): ReactNode {
  const nameOf = usePrincipalName();
  const reason = useReason('agents:write');
  const remove = useChange(async (set: string) => {
    await answer(api.DELETE('/api/v1/agents/{id}/case-sets/{set}', { params: { path: { id: agentId, set } } }));
  }, 'comparisons');
  if (sets.length === 0) return null;
  return (
    <Section title={texts.sets}>
      <Stack gap="sm">
        <ProblemAlert error={remove.error} />
        {sets.map(({ id, name, cases, rules, made_by, created_at }) => (
          <Group key={id} gap="sm" role="group" aria-label={name}>
            <Text size="sm" fw={600}>
              {name}
            </Text>
            <Text size="sm" c="dimmed">
              {texts.setCases(cases, rules.length)} · {nameOf(made_by)} <When at={created_at} />
            </Text>
            <ConfirmAction
              size="compact-sm"
              reason={reason}
              question={texts.removeSetQuestion(name)}
              loading={remove.isPending}
              onConfirm={() => remove.mutate(id)}
            >
              {texts.removeSet}
            </ConfirmAction>
          </Group>
        ))}
      </Stack>
    </Section>
  );
}

/** Keeps the messages and rules of a comparison under a name. */
export function KeepAsSet({
  agentId,
  comparison,
}: {
  agentId: string;
  comparison: Schema<'ComparisonView'>;
}): ReactNode {
  const mayWrite = useReason('agents:write');
  const mayRead = useReason('events:read');
  const [name, setName] = useState('');
  const keep = useChange(async () => {
    const body = { name: name.trim(), cases_of: comparison.id, rules: comparison.rules };
    return answer(api.POST('/api/v1/agents/{id}/case-sets', { params: { path: { id: agentId } }, body }));
  }, 'comparisons');
  return (
    <Stack gap="xs">
      <Group gap="sm" align="end">
        <TextInput
          label={texts.setName}
          description={texts.keepHint}
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ActionButton
          variant="default"
          reason={mayWrite ?? mayRead}
          loading={keep.isPending}
          disabled={name.trim() === ''}
          onClick={() => keep.mutate()}
        >
          {texts.keep}
        </ActionButton>
      </Group>
      <ProblemAlert error={keep.error} />
      <Text size="sm" aria-live="polite">
        {keep.data && texts.kept(keep.data.name)}
      </Text>
    </Stack>
  );
}
