import { Button, Group, NumberInput, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import type { Schema } from '../../api/named-schema.js';
import { useChange } from '../../api/use-change.js';
import { contactTexts } from '../../texts/contacts.js';
import { uiTexts } from '../../texts/ui.js';
import { errorBeside, fieldError } from '../../ui/field-errors.js';
import { NameField } from '../../ui/name-field.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { useDraft } from '../../ui/use-draft.js';

const texts = contactTexts.form;

/** The contact's name, and how many messages a day they may send. */
export function ContactForm({ contact }: { contact: Schema<'ContactDetailView'> }): ReactNode {
  const { name, daily_budget, id } = contact;
  const draft = useDraft<Schema<'ContactChange'>>({ name, daily_budget });
  const save = useChange(
    () => answer(api.PATCH('/api/v1/contacts/{id}', { params: { path: { id } }, body: draft.change })),
    'contacts',
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(undefined, { onSuccess: draft.discard });
      }}
    >
      <Stack gap="md" maw={520}>
        <NameField value={draft.value.name ?? ''} error={save.error} onChange={(name) => draft.set({ name })} />
        <NumberInput
          label={texts.budget}
          description={texts.budgetHint}
          placeholder={texts.noBudget}
          min={0}
          allowDecimal={false}
          value={draft.value.daily_budget ?? ''}
          error={fieldError(save.error, 'daily_budget')}
          onChange={(value) => draft.set({ daily_budget: value === '' ? null : Number(value) })}
        />
        <ProblemAlert error={errorBeside(save.error, ['name', 'daily_budget'])} />
        {draft.changed && (
          <Group gap="xs">
            <Button type="submit" loading={save.isPending}>
              {uiTexts.save}
            </Button>
            <Button variant="default" onClick={draft.discard}>
              {uiTexts.discard}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}
