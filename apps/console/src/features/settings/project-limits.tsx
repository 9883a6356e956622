import { Button, Group, NumberInput, Skeleton, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useChange } from '../../api/use-change.js';
import { settingsTexts } from '../../texts/settings.js';
import { uiTexts } from '../../texts/ui.js';
import { errorBeside, fieldError, ProblemAlert } from '../../ui/notices.js';

type Limits = Schema<'ProjectLimitsDto'>;

const texts = settingsTexts.projects.limits;
const fields = [
  'messages_per_second',
  'concurrent_turns',
  'deliveries_per_address_per_minute',
  'retention_days',
  'day_tokens',
  'day_cost_micros',
  'month_tokens',
  'month_cost_micros',
] as const satisfies (keyof Limits)[];

/** How many units of the API are one unit of the field. */
const unitOf = (field: (typeof fields)[number]): number => (field.endsWith('_cost_micros') ? 1_000_000 : 1);

/** Where a project differs from the limits of the installation. */
export function ProjectLimits({ id, onSaved }: { id: string; onSaved: () => void }): ReactNode {
  const { data, error } = useProjectQuery(['project', id], (signal) =>
    answer(api.GET('/api/v1/projects/{id}', { params: { path: { id } }, signal })),
  );
  if (error) return <ProblemAlert error={error} />;
  if (!data) return <Skeleton height={280} />;
  return <LimitsForm id={id} limits={data.limits} onSaved={onSaved} />;
}

function LimitsForm({ id, limits, onSaved }: { id: string; limits: Limits; onSaved: () => void }): ReactNode {
  const [draft, setDraft] = useState(limits);
  const save = useChange(
    () => answer(api.PUT('/api/v1/projects/{id}/limits', { params: { path: { id } }, body: draft })),
    'project',
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(undefined, { onSuccess: onSaved });
      }}
    >
      <Stack gap="md">
        {fields.map((field) => (
          <NumberInput
            key={field}
            label={texts.labels[field]}
            description={texts.hints[field]}
            placeholder={/^(?:day|month)_/.test(field) ? texts.noLimit : texts.asInstallation}
            min={1 / unitOf(field)}
            allowDecimal={unitOf(field) !== 1}
            thousandSeparator=" "
            allowNegative={false}
            value={typeof draft[field] === 'number' ? draft[field] / unitOf(field) : ''}
            error={fieldError(save.error, field)}
            onChange={(value) =>
              setDraft({ ...draft, [field]: typeof value === 'number' ? Math.round(value * unitOf(field)) : null })
            }
          />
        ))}
        <ProblemAlert error={errorBeside(save.error, [...fields])} />
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            {uiTexts.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
