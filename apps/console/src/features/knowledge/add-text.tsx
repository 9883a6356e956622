import { FileInput, Select, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FileText } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { projectKey, useProjectId } from '../../api/project-query.js';
import { knowledgeTexts } from '../../texts/knowledge.js';
import { fieldError } from '../../ui/notices.js';
import { FormModal } from '../../ui/dialog.js';
import { type Access, AccessFields } from '../../ui/access-fields.js';

const texts = knowledgeTexts.adding;
const languages = [
  'arabic',
  'armenian',
  'danish',
  'dutch',
  'english',
  'finnish',
  'french',
  'german',
  'greek',
  'hindi',
  'hungarian',
  'indonesian',
  'italian',
  'norwegian',
  'portuguese',
  'romanian',
  'russian',
  'spanish',
  'swedish',
  'tamil',
  'turkish',
] as const;
type Language = (typeof languages)[number];
const nothing = {
  title: '',
  text: '',
  uri: '',
  audience: 'known' as Access['audience'],
  readers: [] as string[],
  language: null as Language | null,
};

export function AddText({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [value, setValue] = useState(nothing);
  const change = (patch: Partial<typeof nothing>): void => setValue((before) => ({ ...before, ...patch }));
  const add = useMutation({
    mutationFn: () => {
      const { uri, language, ...rest } = value;
      return answer(
        api.POST('/api/v1/knowledge', {
          body: { ...rest, ...(uri ? { uri } : {}), ...(language ? { language } : {}) },
        }),
      );
    },
    onSuccess: ({ id }) => {
      void queryClient.invalidateQueries({ queryKey: projectKey(projectId, ['knowledge']) });
      void navigate({ to: '/p/$projectId/knowledge/$documentId', params: { projectId, documentId: id } });
    },
  });
  const read = async (file: File | null): Promise<void> => {
    if (file) change({ text: await file.text(), title: value.title || file.name });
  };
  return (
    <FormModal
      opened={opened}
      title={texts.title}
      submit={texts.go}
      size="xl"
      saving={add.isPending}
      error={add.error}
      fields={['title', 'text', 'uri', 'readers']}
      ready={value.title.trim() !== '' && value.text.trim() !== ''}
      onSubmit={() => add.mutate()}
      onClose={onClose}
    >
      <TextInput
        label={texts.name}
        required
        data-autofocus
        maxLength={300}
        value={value.title}
        error={fieldError(add.error, 'title')}
        onChange={(event) => change({ title: event.currentTarget.value })}
      />
      <FileInput
        label={texts.file}
        clearable
        accept="text/*,.md,.markdown,.txt,.csv,.json"
        leftSection={<FileText size={15} aria-hidden />}
        onChange={(file) => void read(file)}
      />
      <Textarea
        label={texts.text}
        description={texts.textHint}
        required
        autosize
        minRows={6}
        maxRows={16}
        value={value.text}
        error={fieldError(add.error, 'text')}
        onChange={(event) => change({ text: event.currentTarget.value })}
      />
      <TextInput
        label={texts.uri}
        value={value.uri}
        error={fieldError(add.error, 'uri')}
        onChange={(event) => change({ uri: event.currentTarget.value })}
      />
      <Select
        label={texts.language}
        placeholder={texts.recognised}
        clearable
        searchable
        data={languages.map((language) => ({ value: language, label: texts.languageName(language) }))}
        value={value.language}
        onChange={(next) => change({ language: languages.find((language) => language === next) ?? null })}
      />
      <AccessFields value={value} error={add.error} onChange={change} />
    </FormModal>
  );
}
