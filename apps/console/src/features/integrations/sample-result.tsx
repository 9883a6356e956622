import { Alert, Input, Stack, Text } from '@mantine/core';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useProjectId } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import { integrationTexts } from '../../texts/integrations.js';
import { CodeBlock } from '../../ui/code-block.js';
import { LinkAnchor } from '../../ui/link-anchor.js';

const texts = integrationTexts.samples;
const firstError = 400;

/** The request and the answer, unchanged. */
export function SampleResult({ sample }: { sample: Schema<'SampleView'> }): ReactNode {
  const projectId = useProjectId();
  const { sent, answer, error, took_ms, event_id, duplicate } = sample;
  const taken = answer !== null && answer.status < firstError;
  return (
    <Stack gap="sm">
      <Alert
        variant="light"
        color={taken ? 'teal' : 'yellow'}
        icon={taken ? <CircleCheck size={18} aria-hidden /> : <TriangleAlert size={18} aria-hidden />}
        title={answer ? texts.answered(answer.status, took_ms) : texts.noAnswer}
        role="status"
      >
        {error && <Text size="sm">{error.detail}</Text>}
        {duplicate && <Text size="sm">{texts.duplicate}</Text>}
        {event_id && (
          <LinkAnchor
            to={{ to: '/p/$projectId/events/$eventId', params: { projectId, eventId: event_id } }}
            c="inherit"
            underline="always"
          >
            {texts.openEvent}
          </LinkAnchor>
        )}
      </Alert>
      <Input.Wrapper label={texts.sent} labelElement="div">
        <CodeBlock code={asText(`${sent.method} ${sent.url}`, sent.headers, sent.body)} label={texts.sent} wrap />
      </Input.Wrapper>
      {answer && (
        <Input.Wrapper label={texts.answer} labelElement="div">
          <CodeBlock code={asText(`HTTP ${answer.status}`, answer.headers, answer.body)} label={texts.answer} wrap />
        </Input.Wrapper>
      )}
    </Stack>
  );
}

const asText = (first: string, headers: Record<string, string>, body: string): string =>
  [first, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', body].join('\n');
