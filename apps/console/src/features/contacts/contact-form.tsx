import { Button, Group, NumberInput, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import type { Schema } from '../../api/named-schema.js';
import { contactTexts } from '../../texts/contacts.js';
import { uiTexts } from '../../texts/ui.js';
import { errorBeside, fieldError } from '../../ui/field-errors.js';
import { NameField } from '../../ui/name-field.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { useEditor } from '../../ui/use-editor.js';

const texts = contactTexts.form;

/** The contact's name, and how many messages a day they may send. */
export function ContactForm({ contact }: { contact: Schema<'ContactDetailView'> }): ReactNode {
  const { name, daily_budget, id } = contact;
  const editor = useEditor<Schema<'ContactChange'>>({
    saved: { name, daily_budget },
    touched: ['contacts'],
    save: ({ change: body }) => answer(api.PATCH('/api/v1/contacts/{id}', { params: { path: { id } }, body })),
  });
  const { value, error, set } = editor;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        editor.save();
      }}
    >
      <Stack gap="md" maw={520}>
        <NameField value={value.name ?? ''} error={error} onChange={(name) => set({ name })} />
        <NumberInput
          label={texts.budget}
          description={texts.budgetHint}
          placeholder={texts.noBudget}
          min={0}
          allowDecimal={false}
          value={value.daily_budget ?? ''}
          error={fieldError(error, 'daily_budget')}
          onChange={(budget) => set({ daily_budget: budget === '' ? null : Number(budget) })}
        />
        <ProblemAlert error={errorBeside(error, ['name', 'daily_budget'])} />
        {editor.changed && (
          <Group gap="xs">
            <Button type="submit" loading={editor.saving}>
              {uiTexts.save}
            </Button>
            <Button variant="default" onClick={editor.discard}>
              {uiTexts.discard}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}
