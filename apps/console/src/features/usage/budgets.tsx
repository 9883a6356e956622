import { Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAgents } from '../../api/choices.js';
import type { Schema } from '../../api/client.js';
import { firstOfDays, useUsage } from '../../api/usage.js';
import { named } from '../../drawn/drawn-text.js';
import { usageTexts } from '../../texts/usage.js';
import { Section } from '../../ui/page.js';
import { measureOf, type Usage, useWritten } from './measures.js';

const texts = usageTexts.budgets;
const microsPerUnit = 1_000_000;
const nearly = 80;

interface Budget {
  key: string;
  agent: string;
  measure: 'tokens' | 'cost';
  used: number;
  cap: number;
}

/** Each agent's daily budget, and how much of it is used today. */
export function Budgets(): ReactNode {
  const written = useWritten();
  const { data: agents } = useAgents();
  const from = firstOfDays(1);
  const { data: usage } = useUsage(from, 'agent');
  if (!agents || !usage) return null;
  const budgets = agents.flatMap((agent) => budgetsOf(agent, usage.rows));
  return (
    <Section title={texts.title}>
      {budgets.length === 0 ? <Text c="dimmed">{texts.none}</Text> : null}
      <Stack gap="md">
        {budgets.map(({ key, agent, measure, used, cap }) => {
          const share = cap === 0 ? 100 : Math.min(100, (used / cap) * 100);
          const sentence = texts.used(written(measure, used), written(measure, cap), usageTexts.measures[measure]);
          return (
            <div key={key}>
              <Text size="sm" mb={4}>
                <b>{agent}</b> · {sentence}
                {share >= 100 && ` · ${texts.spent}`}
              </Text>
              <Progress
                value={share}
                color={share >= nearly ? 'orange.8' : undefined}
                aria-label={`${named(agent)}: ${sentence}`}
              />
            </div>
          );
        })}
      </Stack>
    </Section>
  );
}

function budgetsOf({ id, name, caps }: Schema<'AgentView'>, usage: Usage[]): Budget[] {
  const used = usage.find(({ agent_id }) => agent_id === id);
  const of = (measure: Budget['measure'], cap: number | undefined): Budget[] =>
    cap === undefined
      ? []
      : [{ key: `${id} ${measure}`, agent: name, measure, used: used ? measureOf[measure](used) : 0, cap }];
  const cost = caps.day_cost_micros;
  return [...of('tokens', caps.day_tokens), ...of('cost', cost === undefined ? undefined : cost / microsPerUnit)];
}
