import { Alert, FileInput, List, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { FileText, FolderOpen } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { skillTexts } from '../../texts/skills.js';
import { FormModal } from '../../ui/dialog.js';
import { TextLink } from '../../ui/links.js';
import { useRefresh } from '../../api/use-change.js';

const texts = skillTexts.importing;
/** Every browser has it; React's types do not. */
const folder: object = { webkitdirectory: '' };

/** Imports a SKILL.md, or a folder with one. Says what was ignored and what is still missing. */
export function ImportSkill({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const projectId = useProjectId();
  const refresh = useRefresh('skills', 'agents', 'tools');
  const [files, setFiles] = useState<File[]>([]);
  const load = useMutation({
    mutationFn: async () => answer(api.POST('/api/v1/skills/import', { body: { files: await folderFiles(files) } })),
    onSuccess: refresh,
  });
  const hasSkillMd = files.some(({ name }) => name.toLowerCase() === 'skill.md');
  const take = (chosen: File | File[] | null): void => {
    load.reset();
    setFiles(chosen === null ? [] : [chosen].flat());
  };
  const done = load.data;
  return (
    <FormModal
      opened={opened}
      title={texts.title}
      submit={texts.go}
      saving={load.isPending}
      error={load.error}
      ready={hasSkillMd && !done}
      onSubmit={() => load.mutate()}
      onClose={onClose}
    >
      <Text c="dimmed">{texts.hint}</Text>
      <FileInput
        label={texts.file}
        clearable
        accept=".md,text/markdown"
        leftSection={<FileText size={15} aria-hidden />}
        onChange={take}
      />
      <FileInput
        label={texts.folder}
        multiple
        clearable
        leftSection={<FolderOpen size={15} aria-hidden />}
        fileInputProps={folder}
        valueComponent={() => texts.chosen(files.length)}
        error={files.length > 0 && !hasSkillMd ? texts.noSkillMd : undefined}
        onChange={take}
      />
      {done && (
        <Alert variant="light" color="teal" title={texts.done}>
          <TextLink to={{ to: '/p/$projectId/skills/$skillId', params: { projectId, skillId: done.skill.id } }}>
            {texts.open}
          </TextLink>
          <Named label={texts.missing} names={done.missing} />
          <Named label={texts.ignored} names={done.ignored} />
        </Alert>
      )}
    </FormModal>
  );
}

function Named({ label, names }: { label: string; names: string[] }): ReactNode {
  if (names.length === 0) return null;
  return (
    <>
      <Text size="sm" fw={500} mt="xs">
        {label}
      </Text>
      <List size="sm">
        {names.map((name) => (
          <List.Item key={name}>
            <code>{name}</code>
          </List.Item>
        ))}
      </List>
    </>
  );
}

/** The files of a folder by their paths within it; a single file by its name. */
function folderFiles(files: readonly File[]): Promise<Schema<'SkillFile'>[]> {
  return Promise.all(
    files.map(async (file) => ({
      path: file.webkitRelativePath.split('/').slice(1).join('/') || file.name,
      content: await file.text(),
    })),
  );
}
