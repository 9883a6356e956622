import { Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { useRefresh } from '../../api/use-change.js';
import { toolTexts } from '../../texts/tools.js';
import { ActionButton } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { Page } from '../../ui/page.js';
import { SourceEditor } from './source-editor.js';

const texts = toolTexts.python;

export function NewToolPage(): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh('tools');
  const reason = useReason('tools:write');
  const [source, setSource] = useState<string>(texts.template);
  const create = useMutation({
    mutationFn: () => answer(api.POST('/api/v1/tools', { body: { source } })),
    onSuccess: ({ id }) => {
      void refresh();
      void navigate({ to: '/p/$projectId/tools/$toolId', params: { projectId, toolId: id } });
    },
  });
  return (
    <Page
      title={toolTexts.create}
      description={texts.hint}
      breadcrumbs={[{ label: toolTexts.title, to: { to: '/p/$projectId/tools', params: { projectId } } }]}
    >
      {reason && (
        <Text mb="sm" role="note">
          {reason}
        </Text>
      )}
      <SourceEditor source={source} onChange={setSource} error={create.error} />
      <Group mt="md">
        <ActionButton reason={reason} loading={create.isPending} onClick={() => create.mutate()}>
          {texts.create}
        </ActionButton>
      </Group>
    </Page>
  );
}
