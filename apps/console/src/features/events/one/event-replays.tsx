import { Select, Skeleton, Table, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schema } from '../../../api/client.js';
import { usePrincipalName } from '../../../api/principals.js';
import { useScope } from '../../../api/session.js';
import { useCost } from '../../../api/usage.js';
import { eventPageTexts } from '../../../texts/event.js';
import { keyed } from '../../../ui/keyed.js';
import { AgentName } from '../../../ui/name-of.js';
import { ProblemAlert } from '../../../ui/notices.js';
import { duration, grouped } from '../../../ui/numbers.js';
import { Section } from '../../../ui/page.js';
import { StatusBadge } from '../../../ui/status-badge.js';
import classes from './event-replays.module.css';
import type { EventDetail } from './steps.js';
import { useTurn } from './use-event.js';

const texts = eventPageTexts.replays;
type Turn = Schema<'TurnView'>;
type Replay = Schema<'EventReplayView'>;

/** What a replay said, called and cost, beside what came of the event at first. The newest, unless the URL names one. */
export function EventReplays({ event }: { event: EventDetail }): ReactNode {
  const { replay: wanted } = useSearch({ strict: false });
  const navigate = useNavigate();
  const nameOf = usePrincipalName(event.replays.map(({ by }) => by));
  const mayRead = useScope('agents:read');
  const replay = event.replays.find(({ turn_id: id }) => id === wanted) ?? event.replays.at(-1);
  if (!replay || !mayRead) return null;
  const options = event.replays.map(({ turn_id: value, deliver, by, at }) => {
    const when = new Date(at).toLocaleTimeString();
    return { value, label: texts.option(deliver ? texts.delivered : texts.rehearsal, nameOf(by), when) };
  });
  return (
    <Section
      title={texts.title}
      actions={
        <Select
          aria-label={texts.which}
          size="xs"
          w={{ base: '100%', xs: 320 }}
          allowDeselect={false}
          data={options.toReversed()}
          value={replay.turn_id}
          onChange={(turnId) =>
            void navigate({
              to: '.',
              search: (before) => ({ ...before, replay: turnId ?? undefined }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      }
    >
      <Comparison event={event} replay={replay} />
    </Section>
  );
}

function Comparison({ event, replay }: { event: EventDetail; replay: Replay }): ReactNode {
  const turnId = (id: string | null): string | null => event.turns.find((turn) => turn.id === id)?.collected_into ?? id;
  const original = useTurn(event.id, turnId(replay.original_turn_id), true);
  const repeated = useTurn(event.id, turnId(replay.turn_id), true);
  const cost = useCost();
  const failed = [original, repeated].find(({ error }) => error !== null);
  if (failed) return <ProblemAlert error={failed.error} onRetry={() => void failed.refetch()} />;
  if (original.isLoading || !repeated.data) return <Skeleton height={180} />;
  const [before, after] = [original.data ?? null, repeated.data];
  const row = (label: string, of: (turn: Turn, isReplay: boolean) => ReactNode): ReactNode => (
    <Table.Tr role="row">
      <Table.Th role="rowheader" scope="row">
        {label}
      </Table.Th>
      <Table.Td role="cell" data-of={texts.original}>
        {before ? of(before, false) : '–'}
      </Table.Td>
      <Table.Td role="cell" data-of={texts.replay}>
        {of(after, true)}
      </Table.Td>
    </Table.Tr>
  );
  const isSame = before !== null && before.reply_text !== null && before.reply_text === after.reply_text;
  return (
    <>
      {!before && <Text c="dimmed">{texts.noOriginal}</Text>}
      <Table aria-label={texts.title} role="table" layout="fixed" className={classes.table}>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            <Table.Td role="cell" className={classes.label} />
            <Table.Th role="columnheader">{texts.original}</Table.Th>
            <Table.Th role="columnheader">{texts.replay}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {row(texts.state, ({ state }) => (
            <StatusBadge status={state} />
          ))}
          {row(texts.agent, ({ agent_id: id, agent_version: version }) => (
            <>
              {id === null ? eventPageTexts.turn.chief : <AgentName id={id} />}
              {version !== null && ` · ${texts.version(version)}`}
            </>
          ))}
          {row(texts.words, (turn, isReplay) =>
            isReplay && isSame ? <Text c="dimmed">{texts.same}</Text> : <Words turn={turn} />,
          )}
          {row(texts.calls, ({ steps }) => (
            <Calls steps={steps} />
          ))}
          {row(texts.tokens, ({ tokens }) => grouped(tokens))}
          {row(texts.cost, ({ cost_micros: micros }) => cost(micros))}
          {row(texts.took, ({ steps }) => duration(steps.reduce((sum, { duration_ms: took }) => sum + (took ?? 0), 0)))}
        </Table.Tbody>
      </Table>
    </>
  );
}

function Words({ turn: { reply_text: text, reason_text: why, error } }: { turn: Turn }): ReactNode {
  if (text) return <p className={classes.words}>{text}</p>;
  return <Text c="dimmed">{why ?? error ?? texts.noWords}</Text>;
}

/** Calls of tools, in their order. */
function Calls({ steps }: { steps: Turn['steps'] }): ReactNode {
  const calls = steps.filter(({ kind }) => kind === 'tool_result');
  if (calls.length === 0) return <Text c="dimmed">{texts.noCalls}</Text>;
  return (
    <ol className={classes.calls}>
      {keyed(calls, ({ seq }) => String(seq)).map(({ key, row: { content, failed } }) => (
        <li key={key}>
          <code>{String(content['name'] ?? content['tool'])}</code> {failed && <StatusBadge status="failed" />}
        </li>
      ))}
    </ol>
  );
}
