import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { skillTexts } from '../../texts/skills.js';
import { uiTexts } from '../../texts/ui.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { download } from './folder-files.js';

const texts = skillTexts.export;

/** The Skill as the files of a folder, one by one. */
export function ExportSkill({ id }: { id: string }): ReactNode {
  const load = useMutation({
    mutationFn: () => answer(api.GET('/api/v1/skills/{id}/export', { params: { path: { id } } })),
  });
  return (
    <>
      <Button
        variant="default"
        leftSection={<Download size={15} aria-hidden />}
        loading={load.isPending}
        onClick={() => load.mutate()}
      >
        {texts.action}
      </Button>
      <Modal
        opened={load.data !== undefined || load.error !== null}
        onClose={load.reset}
        title={texts.title}
        closeButtonProps={{ 'aria-label': uiTexts.close }}
      >
        <Stack gap="sm">
          <ProblemAlert error={load.error} />
          <Text c="dimmed">{texts.hint}</Text>
          {load.data?.files.map(({ path, content }) => (
            <Group key={path} justify="space-between" wrap="nowrap">
              <code style={{ overflowWrap: 'anywhere' }}>{path}</code>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`${texts.download} ${path}`}
                onClick={() => download(path.split('/').at(-1) ?? path, content)}
              >
                {texts.download}
              </Button>
            </Group>
          ))}
        </Stack>
      </Modal>
    </>
  );
}
