import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { usePrincipalName } from '../../api/principals.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { skillTexts } from '../../texts/skills.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { DiffView } from '../../ui/diff-view.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { useRefresh } from '../../api/use-change.js';

const texts = skillTexts.versions;

/** Earlier versions of a Skill, newest first, each with what it changed. */
export function SkillVersions({ skill }: { skill: Schema<'SkillView'> }): ReactNode {
  const may = useScope('tools:write');
  const nameOf = usePrincipalName();
  const refresh = useRefresh('skills', 'agents', 'tools');
  const { data, error, refetch } = useProjectQuery(['skills', skill.id, 'versions'], (signal) =>
    answer(api.GET('/api/v1/skills/{id}/versions', { params: { path: { id: skill.id } }, signal })),
  );
  const restore = useMutation({
    mutationFn: (version: number) => {
      const params = { path: { id: skill.id, version } };
      return answer(api.POST('/api/v1/skills/{id}/versions/{version}/restore', { params }));
    },
    onSuccess: () => notifications.show({ message: texts.restored, color: 'teal' }),
    onSettled: refresh,
  });
  if (error && !data) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={200} />;
  return (
    <Stack gap="md">
      <ProblemAlert error={restore.error} />
      {data.data.map(({ version, content, created_by: by, created_at }, index) => {
        const before = data.data[index + 1];
        return (
          <Section
            key={version}
            title={texts.number(version)}
            actions={
              <Group gap="sm">
                <Text size="sm" c="dimmed" component="span">
                  <When at={created_at} /> {texts.by(nameOf(by))}
                </Text>
                {version === skill.version ? (
                  <StatusBadge status="active" label={texts.current} />
                ) : (
                  may && (
                    <ConfirmButton
                      size="compact-sm"
                      question={texts.restoreQuestion}
                      onConfirm={() => restore.mutate(version)}
                    >
                      {texts.restore}
                    </ConfirmButton>
                  )
                )}
              </Group>
            }
          >
            {before ? (
              <DiffView label={texts.difference} before={before.content} after={content} />
            ) : (
              <Text c="dimmed">{texts.first}</Text>
            )}
          </Section>
        );
      })}
    </Stack>
  );
}
