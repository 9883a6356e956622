import { Autocomplete, Group, Stack, Table, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useCredentials } from '../../api/choices.js';
import { answer, api, type Schema } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import { useChange } from '../../api/use-change.js';
import { modelTexts } from '../../texts/models.js';
import { ActionButton } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';

const texts = modelTexts.test;

/** Tries the provider, and shows what worked the last time. */
export function ProviderTest({ provider }: { provider: Schema<'ProviderView'> }): ReactNode {
  const { id, tested } = provider;
  const [model, setModel] = useState('');
  const reason = useReason('agents:write');
  const { data: credentials = [] } = useCredentials(useScope('credentials:read'));
  const test = useChange(
    () => answer(api.POST('/api/v1/providers/{id}/test', { params: { path: { id } }, body: model ? { model } : {} })),
    'providers',
  );
  return (
    <Section title={texts.title}>
      <Stack gap="md">
        <Group align="end">
          <Autocomplete
            label={texts.model}
            description={texts.hint}
            placeholder={tested?.model ?? provider.default_model ?? ''}
            data={tested?.models ?? []}
            limit={20}
            value={model}
            onChange={setModel}
            w={360}
          />
          <ActionButton reason={reason} loading={test.isPending} onClick={() => test.mutate()}>
            {texts.run}
          </ActionButton>
          {tested && <When at={tested.at} relative />}
        </Group>
        <ProblemAlert error={test.error} />
        {tested && tested.at < provider.updated_at && <Text c="dimmed">{texts.outdated}</Text>}
        {!tested && <Text c="dimmed">{modelTexts.notTested}</Text>}
        {tested && (
          <Table.ScrollContainer
            minWidth={520}
            scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': texts.title } }}
          >
            <Table aria-label={texts.title}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{texts.columns.check}</Table.Th>
                  <Table.Th>{texts.columns.result}</Table.Th>
                  <Table.Th>{texts.columns.key}</Table.Th>
                  <Table.Th>{texts.columns.detail}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {tested.findings.map(({ check, key, ok, detail }) => (
                  <Table.Tr key={`${check} ${key}`}>
                    <Table.Td>{modelTexts.checks[check]}</Table.Td>
                    <Table.Td>
                      <StatusBadge status={ok ? texts.works : texts.fails} tone={ok ? 'good' : 'bad'} />
                    </Table.Td>
                    <Table.Td>{credentials.find((one) => one.id === key)?.name ?? key}</Table.Td>
                    <Table.Td>{detail}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </Stack>
    </Section>
  );
}
