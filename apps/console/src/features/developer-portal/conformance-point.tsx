import { Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/named-schema.js';
import { developerPortalTexts } from '../../texts/developer-portal.js';
import { CodeBlock } from '../../ui/code-block.js';
import { StatusBadge } from '../../ui/status-badge.js';

const texts = developerPortalTexts.conformance;

interface ConformancePointProps {
  point: Schema<'PointResultView'>;
  /** Also shows the checks that did not fail. */
  all: boolean;
}

/** One point of the contract with its checks. */
export function ConformancePoint({ point, all }: ConformancePointProps): ReactNode {
  const checks = all ? point.checks : point.checks.filter(({ status }) => status === 'failed');
  return (
    <Stack gap="sm">
      <Text fw={600}>
        {point.point}. {point.title}
      </Text>
      {checks.map((check) => (
        <Stack key={check.id} gap={6} pl="md">
          <Group gap="xs">
            <Text>{check.title}</Text>
            <StatusBadge status={check.status} />
          </Group>
          {check.reason && (
            <Text size="sm" c="dimmed">
              {check.reason}
            </Text>
          )}
          {check.failure && (
            <>
              <Text size="sm">
                <b>{texts.advice}</b> {check.failure.advice}
              </Text>
              <CodeBlock
                label={`${check.title}: ${texts.got}`}
                wrap
                code={[
                  `${texts.request}:  ${check.failure.request}`,
                  `${texts.expected}:  ${check.failure.expected}`,
                  `${texts.got}:  ${check.failure.got}`,
                ].join('\n')}
              />
            </>
          )}
        </Stack>
      ))}
    </Stack>
  );
}
