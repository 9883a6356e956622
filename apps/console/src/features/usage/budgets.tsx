import { Progress, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAgents } from '../../api/choices.js';
import { answer, api } from '../../api/client.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import { firstOfDays, firstOfMonth, useUsage } from '../../api/usage.js';
import { named } from '../../drawn/drawn-text.js';
import { usageTexts } from '../../texts/usage.js';
import { Section } from '../../ui/page.js';
import { measureOf, type Usage, useWritten } from './measures.js';

const texts = usageTexts.budgets;
const microsPerUnit = 1_000_000;
const nearly = 80;

type Span = 'day' | 'month';

interface Budget {
  key: string;
  name: string;
  span: Span;
  measure: 'tokens' | 'cost';
  used: number;
  cap: number;
}

/** The budgets of the project and of each agent, of the day and of the month, and how much of each is used. */
export function Budgets(): ReactNode {
  const written = useWritten();
  const { data: agents } = useAgents();
  const today = useUsedSince(firstOfDays(1));
  const month = useUsedSince(firstOfMonth());
  const id = useProjectId();
  const { data: project, error: failed } = useProjectQuery(['project', id], (signal) =>
    answer(api.GET('/api/v1/projects/{id}', { params: { path: { id } }, signal })),
  );
  // The page says that the usage cannot be read.
  if (failed || today.failed || month.failed) return null;
  const used = { day: today.used, month: month.used };
  if (!agents || !used.day || !used.month || !project) return <Skeleton height={44} />;
  const spans = [
    ['day', used.day],
    ['month', used.month],
  ] as const;
  const budgets = spans.flatMap(([span, { total, byAgent }]) => [
    ...budgetsOf(span, { id, name: texts.project }, project.limits, total),
    ...agents.flatMap((agent) => budgetsOf(span, agent, agent.caps, byAgent.get(agent.id))),
  ]);
  if (budgets.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {texts.none}
      </Text>
    );
  }
  return (
    <Section title={texts.title}>
      <Stack gap="md">
        {budgets.map(({ key, name, span, measure, used, cap }) => {
          const share = cap === 0 ? 100 : Math.min(100, (used / cap) * 100);
          const sentence = texts.used(written(measure, used), written(measure, cap), usageTexts.measures[measure]);
          return (
            <div key={key}>
              <Text size="sm" mb={4}>
                <b>{name}</b> · {texts.spans[span]} · {sentence}
                {share >= 100 && ` · ${texts.spent[span]}`}
              </Text>
              <Progress
                value={share}
                color={share >= nearly ? 'orange.8' : undefined}
                aria-label={`${named(name)}, ${texts.spans[span]}: ${sentence}`}
              />
            </div>
          );
        })}
      </Stack>
    </Section>
  );
}

interface Used {
  total: Usage | undefined;
  byAgent: Map<string | null, Usage>;
}

/** What the project and each agent have used. */
function useUsedSince(from: string): { failed: boolean; used: Used | null } {
  const { data: usage, error } = useUsage(from, 'agent');
  const { data: total, error: totalError } = useUsage(from, 'total');
  const failed = (error ?? totalError) !== null;
  // While another day loads, the answer is still of the one before.
  if (usage?.from !== from || total?.from !== from) return { failed, used: null };
  return { failed, used: { total: total.rows[0], byAgent: new Map(usage.rows.map((row) => [row.agent_id, row])) } };
}

type Caps = Partial<Record<`${Span}_tokens` | `${Span}_cost_micros`, number | null>>;

function budgetsOf(
  span: Span,
  { id, name }: { id: string; name: string },
  caps: Caps,
  used: Usage | undefined,
): Budget[] {
  const of = (measure: Budget['measure'], cap: number | null): Budget[] =>
    cap === null
      ? []
      : [{ key: `${id} ${span} ${measure}`, name, span, measure, used: used ? measureOf[measure](used) : 0, cap }];
  const { [`${span}_tokens` as const]: tokens = null, [`${span}_cost_micros` as const]: cost = null } = caps;
  return [...of('tokens', tokens), ...of('cost', cost === null ? null : cost / microsPerUnit)];
}
