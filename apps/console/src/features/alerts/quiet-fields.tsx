import { Checkbox, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { alertTexts } from '../../texts/alerts.js';
import { fieldError } from '../../ui/notices.js';
import { ownTimeZone, TimeZoneSelect } from '../../ui/time-zone-select.js';
import type { RuleFieldsProps } from './rule-fields.js';

const texts = alertTexts.fields;

/** When nothing is sent. */
export function QuietFields({ value: { quiet }, error, onChange }: RuleFieldsProps): ReactNode {
  return (
    <Stack gap="sm">
      <Switch
        label={texts.quiet}
        description={texts.quietHint}
        checked={quiet !== null}
        onChange={(event) =>
          onChange({
            quiet: event.currentTarget.checked
              ? { from: '22:00', to: '07:00', time_zone: ownTimeZone(), weekends: false }
              : null,
          })
        }
      />
      {quiet && (
        <>
          <SimpleGrid cols={{ base: 1, xs: 3 }}>
            {(['from', 'to'] as const).map((name) => (
              <TextInput
                key={name}
                type="time"
                label={texts[name]}
                value={quiet[name]}
                error={fieldError(error, `quiet.${name}`)}
                onChange={(event) => onChange({ quiet: { ...quiet, [name]: event.currentTarget.value } })}
              />
            ))}
            <TimeZoneSelect
              label={texts.zone}
              value={quiet.time_zone}
              error={fieldError(error, 'quiet.time_zone')}
              onChange={(zone) => onChange({ quiet: { ...quiet, time_zone: zone } })}
            />
          </SimpleGrid>
          <Checkbox
            label={texts.weekends}
            checked={quiet.weekends}
            onChange={(event) => onChange({ quiet: { ...quiet, weekends: event.currentTarget.checked } })}
          />
        </>
      )}
    </Stack>
  );
}
