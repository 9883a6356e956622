import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAppName } from '../../api/choices.js';
import type { Schema } from '../../api/client.js';
import { workflowTexts } from '../../texts/workflows.js';

type Rules = Pick<
  Schema<'TriggerView'>,
  | 'app_id'
  | 'event_types'
  | 'where'
  | 'limit_per_minute'
  | 'contact_limit_per_hour'
  | 'debounce_seconds'
  | 'debounce_max_seconds'
>;

/** The default of `debounce_max_seconds`. */
const defaultMostTimes = 10;
const texts = workflowTexts.triggers;

/** A trigger in a sentence. */
export function TriggerSentence({ trigger }: { trigger: Rules }): ReactNode {
  const appName = useAppName();
  const { app_id, event_types, where, debounce_seconds: quiet, debounce_max_seconds: most } = trigger;
  const limits = [
    quiet === null ? texts.atOnce : texts.debounce(quiet, most ?? quiet * defaultMostTimes),
    ...(trigger.limit_per_minute === null ? [] : [texts.perMinute(trigger.limit_per_minute)]),
    ...(trigger.contact_limit_per_hour === null ? [] : [texts.perContact(trigger.contact_limit_per_hour)]),
  ];
  return (
    <div style={{ overflowWrap: 'anywhere' }}>
      <Text component="div">
        {texts.when(appName(app_id))}{' '}
        {event_types.length === 0
          ? texts.anything
          : event_types.map((type, index) => (
              <span key={type}>
                {index > 0 && ', '}
                <code>{type}</code>
              </span>
            ))}
        {where && (
          <>
            {' '}
            {texts.where} <code>{where}</code>
          </>
        )}
      </Text>
      <Text size="sm" c="dimmed">
        {limits.join(' ')}
      </Text>
    </div>
  );
}
