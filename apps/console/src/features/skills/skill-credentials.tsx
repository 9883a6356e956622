import { Select, SimpleGrid, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCredentials } from '../../api/choices.js';
import { useScope } from '../../api/session.js';
import type { Schema } from '../../api/client.js';
import { skillTexts } from '../../texts/skills.js';
import { AssignList } from '../../ui/assign-list.js';
import { StatusBadge } from '../../ui/status-badge.js';
import type { PartProps } from './skill-knowledge.js';

const texts = skillTexts.credentials;
type Given = Schema<'SkillCredentialGiven'>;

const trusts = ['untrusted', 'partner', 'own'] as const;

/** The credentials that its tools may use: under which name, to which hosts, and how far those are trusted. */
export function SkillCredentials({ value, onChange }: PartProps): ReactNode {
  const may = useScope('credentials:read');
  const mayTrust = useScope('approvals:manage');
  const { data: credentials = [] } = useCredentials(may);
  const given = new Map(value.credentials.map((one) => [one.credential_id, one]));
  const nameOf = (id: string): string => credentials.find((one) => one.id === id)?.name ?? id;
  const change = (id: string, patch: Partial<Given>): void =>
    onChange({ credentials: value.credentials.map((one) => (one.credential_id === id ? { ...one, ...patch } : one)) });
  return (
    <Stack gap="md" maw={820}>
      {!may && <Text c="dimmed">{texts.lacks}</Text>}
      <AssignList
        label={texts.label}
        hint={texts.hint}
        add={texts.add}
        none={texts.none}
        nothingLeft={texts.nothing}
        removeLabel={skillTexts.tools.remove}
        options={credentials.map(({ id, name, status }) => ({ id, name, mark: <StatusBadge status={status} /> }))}
        chosen={value.credentials.map((one) => one.credential_id)}
        onChange={(ids) =>
          onChange({ credentials: ids.map((id) => given.get(id) ?? { credential_id: id, as: wordOf(nameOf(id)) }) })
        }
        extra={(id) => (
          <SimpleGrid cols={{ base: 1, xs: 2 }} mt={6}>
            <TextInput
              size="xs"
              label={texts.as}
              value={given.get(id)?.as ?? ''}
              onChange={(event) => change(id, { as: event.currentTarget.value })}
            />
            <TagsInput
              size="xs"
              label={texts.hosts}
              placeholder={texts.hostsHint}
              value={given.get(id)?.hosts ?? []}
              onChange={(hosts) => change(id, { hosts })}
            />
            <Select
              size="xs"
              label={texts.trust}
              description={mayTrust ? undefined : texts.trustLacks}
              allowDeselect={false}
              data={trusts.map((trust) => ({
                value: trust,
                label: texts.trusts[trust],
                disabled: !mayTrust && trust !== 'untrusted' && trust !== given.get(id)?.trust,
              }))}
              value={given.get(id)?.trust ?? 'untrusted'}
              onChange={(next) => change(id, { trust: trusts.find((trust) => trust === next) })}
            />
          </SimpleGrid>
        )}
      />
    </Stack>
  );
}

/** A name that can be written in source code. */
const wordOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '') || 'credential';
