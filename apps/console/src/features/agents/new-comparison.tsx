import { NumberInput, Select, SimpleGrid, Stack, Switch, Text, Textarea } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Scale } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useChange } from '../../api/use-change.js';
import { comparisonTexts as texts } from '../../texts/comparisons.js';
import { ActionButton } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';

const versionsShown = 50;
const usualConversations = 20;
const mostConversations = 1_000;
const ofConversations = 'last';
const ruleKinds = ['contains', 'forbids', 'calls'] as const;
type Lines = Record<(typeof ruleKinds)[number], string>;

interface NewComparisonProps {
  agent: Schema<'AgentView'>;
  /** Whose messages can be asked once more. */
  earlier: Schema<'ComparisonView'>[];
  sets: Schema<'CaseSetView'>[];
}

/** What to compare, and by what. */
export function NewComparison({ agent, earlier, sets }: NewComparisonProps): ReactNode {
  const navigate = useNavigate({ from: '/p/$projectId/agents/$agentId' });
  const mayWrite = useReason('agents:write');
  const mayRead = useReason('events:read');
  const [baseline, setBaseline] = useState(String(agent.version));
  const [chosen, setCandidate] = useState<string | null>(null);
  const [messages, setMessages] = useState(ofConversations);
  const [last, setLast] = useState<number | string>(usualConversations);
  const [lines, setLines] = useState<Lines>({ contains: '', forbids: '', calls: '' });
  const [judged, setJudged] = useState(true);
  const [criteria, setCriteria] = useState('');
  const [maxTokens, setMaxTokens] = useState<number | string>('');
  const { data, error } = useProjectQuery(['agents', agent.id, 'versions-to-compare'], (signal) => {
    const params = { path: { id: agent.id }, query: { limit: versionsShown } };
    return answer(api.GET('/api/v1/agents/{id}/versions', { params, signal }));
  });
  const versions = data?.data ?? [];
  const options = versions.map(({ version, state }) => ({
    value: String(version),
    label:
      state === 'in_force' ? texts.inForce(version) : state === 'draft' ? texts.draft(version) : texts.earlier(version),
  }));
  const candidate = chosen ?? options.find(({ value }) => value !== baseline)?.value ?? null;
  const rules = rulesOf(lines);
  const set = sets.find(({ id }) => id === messages);
  const begin = useChange(async () => {
    const body = {
      baseline: Number(baseline),
      candidate: Number(candidate),
      ...messagesOf(messages, Number(last)),
      ...(set && rules.length === 0 ? {} : { rules }),
      ...(judged ? { judge: criteria.trim() === '' ? {} : { criteria } } : {}),
      ...(maxTokens === '' ? {} : { max_tokens: Number(maxTokens) }),
    };
    const params = { path: { id: agent.id } };
    const { id } = await answer(api.POST('/api/v1/agents/{id}/comparisons', { params, body }));
    await navigate({ search: { tab: 'compare', comparison: id } });
  }, 'comparisons');
  return (
    <Section title={texts.new}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {texts.hint}
        </Text>
        <ProblemAlert error={error} />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label={texts.baseline}
            allowDeselect={false}
            data={options}
            value={baseline}
            onChange={(next) => next !== null && setBaseline(next)}
          />
          <Select
            label={texts.candidate}
            description={versions.length === 1 ? texts.candidateHint : undefined}
            allowDeselect={false}
            data={options}
            value={candidate}
            onChange={setCandidate}
          />
          <Select
            label={texts.messages}
            description={set && set.rules.length > 0 ? texts.rulesOfSet : undefined}
            allowDeselect={false}
            data={[
              { value: ofConversations, label: texts.lastConversations },
              ...sets.map(({ id, name, cases }) => ({ value: id, label: texts.ofSet(name, cases) })),
              ...earlier.map(({ id, cases, ...of }) => ({
                value: id,
                label: texts.casesOf(of.baseline.version, of.candidate.version, cases),
              })),
            ]}
            value={messages}
            onChange={(next) => next !== null && setMessages(next)}
          />
          {messages === ofConversations && (
            <NumberInput
              label={texts.conversations}
              min={1}
              max={mostConversations}
              allowDecimal={false}
              value={last}
              onChange={setLast}
            />
          )}
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          {ruleKinds.map((kind) => (
            <Textarea
              key={kind}
              label={texts[kind]}
              description={texts.onePerLine}
              autosize
              minRows={2}
              maxRows={8}
              value={lines[kind]}
              onChange={({ currentTarget: { value } }) => setLines((before) => ({ ...before, [kind]: value }))}
            />
          ))}
        </SimpleGrid>
        <Switch
          label={texts.judge}
          description={texts.judgeHint}
          checked={judged}
          onChange={(event) => setJudged(event.currentTarget.checked)}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {judged && (
            <Textarea
              label={texts.criteria}
              placeholder={texts.criteriaPlaceholder}
              autosize
              minRows={2}
              maxRows={8}
              maxLength={4_000}
              value={criteria}
              onChange={(event) => setCriteria(event.currentTarget.value)}
            />
          )}
          <NumberInput
            label={texts.maxTokens}
            description={texts.maxTokensHint}
            min={1}
            allowDecimal={false}
            value={maxTokens}
            onChange={setMaxTokens}
          />
        </SimpleGrid>
        <ProblemAlert error={begin.error} />
        <ActionButton
          leftSection={<Scale size={14} aria-hidden />}
          reason={mayWrite ?? mayRead}
          loading={begin.isPending}
          disabled={candidate === null || last === ''}
          onClick={() => begin.mutate()}
          style={{ alignSelf: 'flex-start' }}
        >
          {texts.begin}
        </ActionButton>
      </Stack>
    </Section>
  );
}

/** @param chosen the last conversations, or the id of a set or of a comparison */
function messagesOf(chosen: string, last: number): { last: number } | { set_id: string } | { cases_of: string } {
  if (chosen === ofConversations) return { last };
  return chosen.startsWith('cst_') ? { set_id: chosen } : { cases_of: chosen };
}

/** A rule for each line. */
function rulesOf(lines: Lines): Schema<'AnswerRuleBody'>[] {
  return ruleKinds.flatMap((kind) =>
    lines[kind]
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((line) => (kind === 'forbids' ? { forbids: [line] } : { [kind]: line })),
  );
}
