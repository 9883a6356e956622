import { Badge, Group, Progress, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { operationsTexts } from '../../texts/operations.js';
import { ListRow, RowList } from '../../ui/rows.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';

const texts = operationsTexts.keys;
const everyMs = 5_000;

/** How far a rotation of the vault's key is. */
export function Keys(): ReactNode {
  const { data, error, refetch } = useProjectQuery(
    ['key-rotation'],
    (signal) => answer(api.GET('/api/v1/key-rotation', { signal })),
    { refetchInterval: (last) => (last?.left ?? 0) > 0 && everyMs },
  );
  if (error && !data) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={180} />;
  const all = data.keys.reduce((sum, { data_keys: count }) => sum + count, 0);
  const done = all - data.left;
  return (
    <Stack gap="md">
      <Section title={texts.title}>
        <Text mb={all > 0 ? 'xs' : 0}>{data.left === 0 ? texts.done : texts.left(done, all)}</Text>
        {all > 0 && <Progress value={(done / all) * 100} aria-label={texts.left(done, all)} />}
      </Section>
      <Section title={texts.ring} flush>
        <RowList>
          {data.keys.map(({ kid, data_keys: count, in_ring: inRing, primary }) => (
            <ListRow key={kid}>
              <Group gap="xs" flex={1}>
                <code>{kid}</code>
                {primary && (
                  <Badge variant="default" tt="none">
                    {texts.primary}
                  </Badge>
                )}
                {!inRing && (
                  <Badge color="red" variant="light" tt="none">
                    {texts.missing}
                  </Badge>
                )}
              </Group>
              <Text size="sm" c="dimmed">
                {texts.wraps(count)}
              </Text>
            </ListRow>
          ))}
        </RowList>
      </Section>
    </Stack>
  );
}
