import { NumberInput, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/named-schema.js';
import { agentTexts } from '../../texts/agents.js';
import { Section } from '../../ui/section.js';
import type { PartProps } from './agent-values.js';

type Cap = keyof Schema<'AgentCapsBody'>;

const texts = agentTexts.budget;
const millionths = 1_000_000;
const second = 1_000;

const groups: readonly { label: string; caps: readonly Cap[] }[] = [
  { label: texts.turn, caps: ['steps', 'tool_calls', 'wall_clock_ms', 'run_tokens', 'run_cost_micros'] },
  { label: texts.day, caps: ['day_tokens', 'day_cost_micros'] },
  { label: texts.contactDay, caps: ['contact_day_tokens', 'contact_day_cost_micros'] },
];

/** How many units of the API are one unit of the field. */
const unitOf = (cap: Cap): number => (cap.endsWith('_micros') ? millionths : cap.endsWith('_ms') ? second : 1);

export function AgentBudget({ value: { caps }, onChange }: PartProps): ReactNode {
  const change = (cap: Cap, given: number | string): void => {
    const { [cap]: _before, ...others } = caps;
    onChange({ caps: given === '' ? others : { ...others, [cap]: Math.round(Number(given) * unitOf(cap)) } });
  };
  return (
    <Stack gap="md" maw={820}>
      <Text c="dimmed">{texts.hint}</Text>
      {groups.map(({ label, caps: names }) => (
        <Section key={label} title={label}>
          <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }}>
            {names.map((cap) => (
              <NumberInput
                key={cap}
                label={texts.caps[cap]}
                description={cap.endsWith('_micros') ? texts.costHint : undefined}
                min={unitOf(cap) === millionths ? 0 : 1}
                allowDecimal={unitOf(cap) === millionths}
                hideControls
                thousandSeparator=" "
                value={caps[cap] === undefined ? '' : caps[cap] / unitOf(cap)}
                onChange={(given) => change(cap, given)}
              />
            ))}
          </SimpleGrid>
        </Section>
      ))}
    </Stack>
  );
}
