import { Group, Text, Timeline } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/types.js';
import { eventTexts } from '../../texts/events.js';
import { JsonView } from '../../ui/json-view.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';

type Entry = Schema<'EventEntryView'>;
const texts = eventTexts.one;

/** What happened to one event, hop by hop. */
export function EventTimeline({ entries }: { entries: Entry[] }): ReactNode {
  return (
    <Timeline bulletSize={14} lineWidth={2} active={entries.length}>
      {entries.map((entry) => (
        <Timeline.Item key={`${entry.at} ${entry.stage} ${entry.outcome} ${entry.subject_id} ${entry.attempt}`}>
          <Group gap="xs">
            <Text fw={500}>{texts.stages[entry.stage]}</Text>
            <StatusBadge status={entry.outcome} />
            <Text size="sm" c="dimmed" component="span">
              <When at={entry.at} /> {entry.duration_ms !== null && `· ${texts.took(entry.duration_ms)}`} ·{' '}
              {entry.service}
            </Text>
          </Group>
          {entry.reason && <Text size="sm">{entry.reason}</Text>}
          {entry.detail && Object.keys(entry.detail).length > 0 && (
            <JsonView label={texts.details} value={entry.detail} depth={0} />
          )}
        </Timeline.Item>
      ))}
    </Timeline>
  );
}
