import { SegmentedControl, Select, Stack, Switch, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { toolTexts } from '../../texts/tools.js';
import { toolWords } from '../../texts/ui.js';
import { Editable } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { useRefresh } from '../../api/use-change.js';

const texts = toolTexts.one;
const grades = ['read', 'write', 'destructive'] as const;
const trusts = ['untrusted', 'partner', 'own'] as const;

/** The most that a call can do, and how far what it returns is trusted. Whether calls wait for approval depends on both. */
export function ToolGrade({ tool }: { tool: Schema<'ToolView'> }): ReactNode {
  const refresh = useRefresh('tools');
  const change = useMutation({
    mutationFn: (body: Schema<'ChangeTool'>) =>
      answer(api.PATCH('/api/v1/tools/{id}', { params: { path: { id: tool.id } }, body })),
    onSettled: refresh,
  });
  return (
    <Section title={texts.grade}>
      <Editable scope="tools:write">
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            {tool.source === 'mcp' ? texts.gradeHintMcp : texts.gradeHint}
          </Text>
          <div>
            <SegmentedControl
              aria-label={texts.grade}
              data={grades.map((value) => ({ value, label: toolWords.grades[value] }))}
              value={change.isPending ? (change.variables.grade ?? tool.grade) : tool.grade}
              onChange={(next) => change.mutate({ grade: grades.find((grade) => grade === next) })}
            />
          </div>
          <Switch
            label={texts.idempotent}
            description={texts.idempotentHint}
            checked={tool.idempotent}
            onChange={(event) => change.mutate({ idempotent: event.currentTarget.checked })}
          />
          <Select
            label={texts.trust}
            description={texts.trustHint}
            maw={420}
            allowDeselect={false}
            data={Object.entries(tool.source === 'mcp' ? texts.trusts : texts.trustsPython).map(([value, label]) => ({
              value,
              label,
            }))}
            value={tool.trust ?? 'inherit'}
            onChange={(next) => change.mutate({ trust: trusts.find((trust) => trust === next) ?? null })}
          />
          <ProblemAlert error={change.error} />
        </Stack>
      </Editable>
    </Section>
  );
}
