import { Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAgents } from '../../api/choices.js';
import { answer, api } from '../../api/client.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
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
  name: string;
  measure: 'tokens' | 'cost';
  used: number;
  cap: number;
}

/** The daily budgets of the project and of each agent, and how much of each is used today. */
export function Budgets(): ReactNode {
  const written = useWritten();
  const { data: agents } = useAgents();
  const from = firstOfDays(1);
  const { data: usage } = useUsage(from, 'agent');
  const { data: total } = useUsage(from, 'total');
  const id = useProjectId();
  const { data: project } = useProjectQuery(['project', id], (signal) =>
    answer(api.GET('/api/v1/projects/{id}', { params: { path: { id } }, signal })),
  );
  if (!agents || !usage || !total || !project) return null;
  const budgets = [
    ...budgetsOf({ id, name: texts.project }, project.limits, total.rows[0]),
    ...agents.flatMap((agent) =>
      budgetsOf(
        agent,
        agent.caps,
        usage.rows.find(({ agent_id }) => agent_id === agent.id),
      ),
    ),
  ];
  return (
    <Section title={texts.title}>
      {budgets.length === 0 ? <Text c="dimmed">{texts.none}</Text> : null}
      <Stack gap="md">
        {budgets.map(({ key, name, measure, used, cap }) => {
          const share = cap === 0 ? 100 : Math.min(100, (used / cap) * 100);
          const sentence = texts.used(written(measure, used), written(measure, cap), usageTexts.measures[measure]);
          return (
            <div key={key}>
              <Text size="sm" mb={4}>
                <b>{name}</b> · {sentence}
                {share >= 100 && ` · ${texts.spent}`}
              </Text>
              <Progress
                value={share}
                color={share >= nearly ? 'orange.8' : undefined}
                aria-label={`${named(name)}: ${sentence}`}
              />
            </div>
          );
        })}
      </Stack>
    </Section>
  );
}

interface DayCaps {
  day_tokens?: number | null;
  day_cost_micros?: number | null;
}

function budgetsOf({ id, name }: { id: string; name: string }, caps: DayCaps, used: Usage | undefined): Budget[] {
  const of = (measure: Budget['measure'], cap: number | null): Budget[] =>
    cap === null ? [] : [{ key: `${id} ${measure}`, name, measure, used: used ? measureOf[measure](used) : 0, cap }];
  const { day_tokens: tokens = null, day_cost_micros: cost = null } = caps;
  return [...of('tokens', tokens), ...of('cost', cost === null ? null : cost / microsPerUnit)];
}
