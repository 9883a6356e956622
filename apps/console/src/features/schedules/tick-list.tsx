import { CalendarClock } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useCursorList, useProjectId } from '../../api/project-query.js';
import { own } from '../../own.js';
import { scheduleTexts } from '../../texts/schedules.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { TextLink } from '../../ui/links.js';
import { EmptyState } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { StatusBadge, type Tone, toneOf } from '../../ui/status-badge.js';
import { on } from './next-times.js';

type Tick = Schema<'ScheduleTickView'>;
const texts = scheduleTexts.history;
const shown = 100;
const everyMs = 5_000;
const tones: Readonly<Record<Tick['state'], Tone>> = {
  queued: 'busy',
  running: 'busy',
  ran: 'good',
  late: 'warn',
  missed: 'bad',
  skipped: 'quiet',
};

/** The last hundred times of a schedule, and how each ended. */
export function TickList({ schedule: { id, time_zone } }: { schedule: Schema<'ScheduleView'> }): ReactNode {
  const projectId = useProjectId();
  const list = useCursorList(
    ['schedules', id, 'ticks'],
    (cursor, signal) => {
      const params = { path: { id }, query: { limit: shown, cursor } };
      return answer(api.GET('/api/v1/schedules/{id}/ticks', { params, signal }));
    },
    { refetchInterval: everyMs },
  );
  return (
    <Section title={texts.title}>
      <DataTable
        label={texts.title}
        columns={columnsIn(time_zone, projectId)}
        list={list}
        rowKey={(tick) => tick.id}
        empty={<EmptyState icon={CalendarClock} {...texts.empty} />}
      />
    </Section>
  );
}

const columnsIn = (zone: string, projectId: string): Column<Tick>[] => [
  { id: 'at', label: texts.at, width: 'minmax(0, 2fr)', cell: ({ at }) => <time dateTime={at}>{on(at, zone)}</time> },
  {
    id: 'end',
    label: texts.end,
    width: '100px',
    cell: ({ state, result }) => (
      // Green beside a failure reads as if all were well.
      <StatusBadge
        status={state}
        tone={state === 'ran' && result && toneOf(result.state) !== 'good' ? 'quiet' : tones[state]}
        label={texts.states[state]}
      />
    ),
  },
  {
    id: 'why',
    label: texts.why,
    width: 'minmax(0, 2fr)',
    cell: ({ reason }) => reason && (own(texts.reasons, reason) ?? <code>{reason}</code>),
    hideOnPhone: true,
  },
  {
    id: 'result',
    label: texts.result,
    width: '130px',
    cell: ({ event_id: eventId, result }) =>
      eventId && (
        <TextLink to={{ to: '/p/$projectId/events/$eventId', params: { projectId, eventId } }}>
          {result ? <StatusBadge status={result.state} /> : texts.openEvent}
        </TextLink>
      ),
  },
];
