import { Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { useRefresh } from '../../api/use-change.js';
import { templateTexts as texts } from '../../texts/templates.js';
import { ActionButton } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { ListRow, RowList } from '../../ui/rows.js';

/** Messages that show the whole path, each sent by one click. */
export function TemplateSamples({ template }: { template: Schema<'TemplateView'> }): ReactNode {
  return (
    <Section title={texts.samples} flush>
      <RowList>
        {template.samples.map((sample) => (
          <ListRow key={sample.number}>
            <Sample template={template} sample={sample} />
          </ListRow>
        ))}
      </RowList>
    </Section>
  );
}

interface SampleProps {
  template: Schema<'TemplateView'>;
  sample: Schema<'TemplateSampleView'>;
}

function Sample({ template, sample: { number, name, shows } }: SampleProps): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh('events');
  const mayNot = useReason('apps:write');
  const send = useMutation({
    mutationFn: () =>
      answer(api.POST('/api/v1/templates/{id}/samples/{number}', { params: { path: { id: template.id, number } } })),
    onSuccess: async ({ event_id: eventId }) => {
      await refresh();
      if (eventId) await navigate({ to: '/p/$projectId/events/$eventId', params: { projectId, eventId } });
    },
  });
  const { problem } = send.data ?? {};
  return (
    <Stack gap={4} flex={1}>
      <Group justify="space-between" gap="xs">
        <div style={{ flex: 1, minWidth: 200 }}>
          <Text fw={500}>{name}</Text>
          <Text size="sm" c="dimmed">
            {shows}
          </Text>
        </div>
        <ActionButton
          size="compact-sm"
          variant="default"
          leftSection={<Send size={14} aria-hidden />}
          aria-label={texts.sendNamed(name)}
          reason={mayNot ?? (template.complete ? null : texts.applyFirst)}
          loading={send.isPending}
          onClick={() => send.mutate()}
        >
          {texts.send}
        </ActionButton>
      </Group>
      {problem && <ProblemAlert error={new Error(problem.detail)} />}
      <ProblemAlert error={send.error} />
    </Stack>
  );
}
