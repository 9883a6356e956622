import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { saveFile } from '../../api/download.js';
import { skillTexts } from '../../texts/skills.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { zip } from './zip.js';

const texts = skillTexts.export;

/** The Skill as the archive of its folder, which any import takes unpacked. */
export function ExportSkill({ id, name }: { id: string; name: string }): ReactNode {
  const save = useMutation({
    mutationFn: async () => {
      const { files } = await answer(api.GET('/api/v1/skills/{id}/export', { params: { path: { id } } }));
      const folder = folderOf(name);
      saveFile(`${folder}.zip`, zip(files.map(({ path, content }) => ({ path: `${folder}/${path}`, content }))));
    },
  });
  return (
    <>
      <Button
        variant="default"
        leftSection={<Download size={15} aria-hidden />}
        title={texts.hint}
        loading={save.isPending}
        onClick={() => save.mutate()}
      >
        {texts.action}
      </Button>
      <ProblemAlert error={save.error} />
    </>
  );
}

/** A name that every file system takes. */
const folderOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '') || 'skill';
