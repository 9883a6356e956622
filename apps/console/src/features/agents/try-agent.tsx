import { Button, Group, Kbd, SegmentedControl, Select, Stack, Text, Textarea } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { FlaskConical, RotateCcw, Send } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { useChange } from '../../api/use-change.js';
import { useWrittenWords } from '../../api/written-words.js';
import { agentTexts } from '../../texts/agents.js';
import { ActionButton } from '../../ui/action-button.js';
import classes from '../../ui/chat.module.css';
import { Editable, useReason } from '../../ui/editable.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { AgentInstructions, type PartProps } from './agent-fields.js';
import { isOpen, TrialTurn } from './trial-turn.js';
import split from './try-agent.module.css';

const route = getRouteApi('/p/$projectId/agents/$agentId');
const texts = agentTexts.trial;
const openMs = 1_500;
const versionsShown = 50;
const toolModes = ['rehearsed', 'real'] as const;
type ToolMode = (typeof toolModes)[number];

interface TryAgentProps extends PartProps {
  agent: Schema<'AgentView'>;
  /** What is changed on the page and not saved. */
  edits: Partial<PartProps['value']>;
}

/** A conversation with the agent beside what it is tried with. */
export function TryAgent({ agent, edits, ...part }: TryAgentProps): ReactNode {
  const { version } = route.useSearch();
  const tried = version === undefined ? agent.version : Number(version);
  const { instructions, model } = edits;
  const isInForce = tried === agent.version;
  const unsaved = {
    ...(instructions === undefined ? {} : { instructions }),
    ...(model === undefined ? {} : { model }),
  };
  return (
    <div className={split.page}>
      <Conversation agentId={agent.id} asks={{ version: tried, ...(isInForce ? unsaved : {}) }} />
      <Stack gap="md">
        <WhatToTry agent={agent} tried={tried} edited={Object.keys(unsaved).length > 0} />
        {isInForce ? (
          <Editable scope="agents:write">
            <AgentInstructions {...part} />
          </Editable>
        ) : (
          <OfVersion agentId={agent.id} version={tried} />
        )}
      </Stack>
    </div>
  );
}

interface WhatToTryProps {
  agent: Schema<'AgentView'>;
  tried: number;
  edited: boolean;
}

function WhatToTry({ agent, tried, edited }: WhatToTryProps): ReactNode {
  const calls: ToolMode = route.useSearch().calls ?? 'rehearsed';
  const navigate = useNavigate({ from: '/p/$projectId/agents/$agentId' });
  const mayCall = useScope('workflows:write');
  const { data } = useProjectQuery(['agents', agent.id, 'versions-to-try'], (signal) => {
    const params = { path: { id: agent.id }, query: { limit: versionsShown } };
    return answer(api.GET('/api/v1/agents/{id}/versions', { params, signal }));
  });
  const known = data?.data ?? [];
  const numbers = known.map(({ version, state }) => ({
    value: String(version),
    label:
      state === 'in_force'
        ? [texts.inForce(version), ...(edited ? [texts.withEdits] : [])].join(' ')
        : state === 'draft'
          ? texts.draft(version)
          : texts.earlier(version),
  }));
  return (
    <Section title={texts.what}>
      <Stack gap="sm">
        <Select
          label={texts.version}
          description={tried === agent.version ? texts.edits : undefined}
          allowDeselect={false}
          data={numbers}
          value={String(tried)}
          onChange={(next) => {
            const version = next === String(agent.version) ? undefined : (next ?? undefined);
            void navigate({ search: (before) => ({ ...before, version }) });
          }}
        />
        <Stack gap={4}>
          <Text size="sm" fw={500} id="trial-tools">
            {texts.tools}
          </Text>
          <SegmentedControl
            aria-labelledby="trial-tools"
            value={calls}
            data={toolModes.map((mode) => ({
              value: mode,
              label: texts.toolModes[mode],
              disabled: mode === 'real' && !mayCall,
            }))}
            onChange={(next) =>
              void navigate({ search: (before) => ({ ...before, calls: next === 'real' ? 'real' : undefined }) })
            }
          />
          <Text size="sm" c="dimmed">
            {mayCall ? texts.toolHints[calls] : texts.noReal}
          </Text>
        </Stack>
      </Stack>
    </Section>
  );
}

/** The instructions of a version that is not in force: it never changes. */
function OfVersion({ agentId, version }: { agentId: string; version: number }): ReactNode {
  const { data, error } = useProjectQuery(['agents', agentId, 'version', String(version)], (signal) => {
    const params = { path: { id: agentId, version } };
    return answer(api.GET('/api/v1/agents/{id}/versions/{version}', { params, signal }));
  });
  return (
    <>
      <ProblemAlert error={error} />
      {data && (
        <Textarea label={texts.ofVersion} autosize minRows={8} maxRows={30} readOnly value={data.fields.instructions} />
      )}
    </>
  );
}

type Asks = Omit<Schema<'NewTrialMessage'>, 'text' | 'tools'>;

function Conversation({ agentId, asks }: { agentId: string; asks: Asks }): ReactNode {
  const { trial: id, calls } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/agents/$agentId' });
  const reason = useReason('agents:write');
  const list = useRef<HTMLOListElement>(null);
  const [text, setText] = useState('');
  const { data, error } = useProjectQuery(
    ['trials', id],
    async (signal) => {
      if (id === undefined) return null;
      return answer(
        api.GET('/api/v1/agents/{id}/trials/{trial}', { params: { path: { id: agentId, trial: id } }, signal }),
      );
    },
    { refetchInterval: (last) => (last?.turns.some(isOpen) ? openMs : false) },
  );
  const written = useWrittenWords({
    path: `/api/v1/agents/${agentId}/trials/${id}/stream`,
    enabled: id !== undefined,
    listed: 'trials',
  });
  const send = useChange(async () => {
    const begin = (): Promise<Schema<'TrialView'>> =>
      answer(api.POST('/api/v1/agents/{id}/trials', { params: { path: { id: agentId } } }));
    const trial = id ?? (await begin()).id;
    if (trial !== id) await navigate({ search: (before) => ({ ...before, trial }), replace: true });
    const params = { path: { id: agentId, trial } };
    await answer(
      api.POST('/api/v1/agents/{id}/trials/{trial}/messages', {
        params,
        body: { text, ...asks, tools: calls ?? ('rehearsed' as const) },
      }),
    );
    setText('');
  }, 'trials');
  const turns = id === undefined ? [] : (data?.turns ?? []);
  const busy = send.isPending || turns.some(isOpen);
  const lastState = turns.at(-1)?.state;
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [turns.length, lastState]);
  const onSend = (): void => {
    if (text.trim() !== '' && !busy) send.mutate();
  };
  return (
    <section className={`${classes.chat} ${split.conversation}`} aria-label={texts.title}>
      <ol ref={list} className={classes.entries} aria-live="polite" tabIndex={0} aria-label={texts.messages}>
        {error && <ProblemAlert error={error} />}
        {turns.length === 0 && !error && (
          <li>
            <EmptyState icon={FlaskConical} {...texts.empty} />
          </li>
        )}
        {turns.map((turn) => (
          <TrialTurn key={turn.id} turn={turn} written={written.get(turn.id)} />
        ))}
      </ol>
      <div className={classes.composer}>
        <Stack gap="xs">
          <Textarea
            aria-label={texts.label}
            placeholder={texts.placeholder}
            autosize
            minRows={2}
            maxRows={10}
            maxLength={100_000}
            disabled={reason !== null}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) onSend();
            }}
          />
          <ProblemAlert error={send.error} />
          <Group justify="space-between" gap="xs">
            <Button
              variant="subtle"
              color="gray"
              leftSection={<RotateCcw size={14} aria-hidden />}
              disabled={id === undefined}
              onClick={() => void navigate({ search: (before) => ({ ...before, trial: undefined }) })}
            >
              {texts.restart}
            </Button>
            <Group gap="xs">
              <Text size="xs" c="dimmed" visibleFrom="xs">
                <Kbd size="xs">{texts.keys}</Kbd>
              </Text>
              <ActionButton
                leftSection={<Send size={14} aria-hidden />}
                reason={reason}
                loading={send.isPending}
                disabled={text.trim() === '' || busy}
                onClick={onSend}
              >
                {texts.send}
              </ActionButton>
            </Group>
          </Group>
        </Stack>
      </div>
    </section>
  );
}
