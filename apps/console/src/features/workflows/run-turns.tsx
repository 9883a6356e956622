import { Group, Text, Timeline } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/named-schema.js';
import { workflowTexts } from '../../texts/workflows.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';

const texts = workflowTexts.run;

/** The attempts of a run, oldest first. */
export function RunTurns({ turns }: { turns: Schema<'RunTurn'>[] }): ReactNode {
  return (
    <Timeline bulletSize={14} lineWidth={2} active={turns.length}>
      {turns.map((turn) => (
        <Timeline.Item key={turn.id}>
          <Group gap="xs">
            <code>{`…${turn.id.slice(-10)}`}</code>
            <StatusBadge status={turn.state} />
            {turn.finished_at && (
              <Text size="sm" c="dimmed" component="span">
                <When at={turn.finished_at} />
              </Text>
            )}
            {turn.redrives > 0 && (
              <Text size="sm" c="dimmed" component="span">
                {texts.attempts(turn.redrives)}
              </Text>
            )}
          </Group>
          {(turn.reason_text ?? turn.error) && <Text size="sm">{turn.reason_text ?? turn.error}</Text>}
          {turn.waiting && (
            <Text size="sm">
              {turn.waiting.text ?? turn.waiting.reason} · {texts.waitingUntil}{' '}
              <When at={turn.waiting.until} relative />
            </Text>
          )}
        </Timeline.Item>
      ))}
    </Timeline>
  );
}
