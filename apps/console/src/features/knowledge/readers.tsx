import { Button, Group, Select, Stack, TagsInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { knowledgeTexts } from '../../texts/knowledge.js';
import { uiTexts } from '../../texts/ui.js';
import { Editable } from '../../ui/editable.js';
import { errorBeside, fieldError, ProblemAlert } from '../../ui/notices.js';
import { useEditor } from '../../ui/use-editor.js';

const texts = knowledgeTexts.readers;
const audiences = ['known', 'everyone', 'listed'] as const;
const most = 500;

export type Access = Pick<Schema<'DocumentView'>, 'audience' | 'readers'>;

interface AccessFieldsProps {
  value: Access;
  error: Error | null;
  onChange: (access: Access) => void;
}

/** Who may get answers from a document. */
export function AccessFields({ value, error, onChange }: AccessFieldsProps): ReactNode {
  return (
    <>
      <Select
        label={texts.audience}
        allowDeselect={false}
        data={audiences.map((audience) => ({ value: audience, label: texts.audiences[audience] }))}
        value={value.audience}
        onChange={(next) => {
          const audience = audiences.find((one) => one === next) ?? 'known';
          onChange({ audience, readers: audience === 'listed' ? value.readers : [] });
        }}
      />
      {value.audience === 'listed' && (
        <TagsInput
          label={texts.readers}
          description={texts.hint}
          placeholder={value.readers.length === 0 ? texts.example : ''}
          maxTags={most}
          acceptValueOnBlur
          value={value.readers}
          error={fieldError(error, 'readers')}
          onChange={(readers) => onChange({ ...value, readers })}
        />
      )}
    </>
  );
}

/** Changes who may get answers from a document that no source keeps. */
export function Readers({ document: { id, audience, readers } }: { document: Schema<'DocumentView'> }): ReactNode {
  const editor = useEditor<Access>({
    saved: { audience, readers },
    touched: ['knowledge'],
    save: ({ value: body }) => answer(api.PATCH('/api/v1/knowledge/{id}', { params: { path: { id } }, body })),
  });
  return (
    <Editable scope="knowledge:write">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          editor.save();
        }}
      >
        <Stack gap="md" maw={520}>
          <AccessFields value={editor.value} error={editor.error} onChange={editor.set} />
          <ProblemAlert error={errorBeside(editor.error, ['readers'])} />
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
    </Editable>
  );
}
