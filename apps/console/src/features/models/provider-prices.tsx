import { Anchor, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { useCost } from '../../api/usage.js';
import { modelTexts } from '../../texts/models.js';
import { Section } from '../../ui/page.js';

const texts = modelTexts.prices;
const microsPerUnit = 1_000_000;

/** What its models cost, and from where that is known. */
export function ProviderPrices({ prices }: { prices: Schema<'ProviderView'>['prices'] }): ReactNode {
  const cost = useCost();
  const written = (price: number | null): string => (price === null ? '–' : cost(price * microsPerUnit));
  if (prices.length === 0) return null;
  return (
    <Section title={texts.title}>
      <Table.ScrollContainer
        minWidth={520}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': texts.title } }}
      >
        <Table aria-label={texts.title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.model}</Table.Th>
              <Table.Th ta="right">{texts.input}</Table.Th>
              <Table.Th ta="right">{texts.cached}</Table.Th>
              <Table.Th ta="right">{texts.output}</Table.Th>
              <Table.Th>{texts.from}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {prices.map(({ model, input, cached, output, date, source }) => (
              <Table.Tr key={model}>
                <Table.Th scope="row" fw={400}>
                  {model}
                </Table.Th>
                <Table.Td ta="right">{written(input)}</Table.Td>
                <Table.Td ta="right">{written(cached ?? input)}</Table.Td>
                <Table.Td ta="right">{written(output)}</Table.Td>
                <Table.Td>
                  {input === null && texts.unknown}
                  {input !== null && source === null && texts.own}
                  {date !== null && source !== null && (
                    <Anchor href={source} target="_blank" rel="noreferrer" size="sm">
                      {texts.listed(date)}
                    </Anchor>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Section>
  );
}
