import { Alert, Stack, Text } from '@mantine/core';
import { CircleCheck, CircleX } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/named-schema.js';
import { toolTexts } from '../../texts/tools.js';
import { CodeBlock } from '../../ui/code-block.js';
import { JsonView } from '../../ui/json-view.js';

const texts = toolTexts.try;

/** The result or the error of a trial call, and what it printed. */
export function TryAnswer({ answer, python }: { answer: Schema<'TryAnswer'>; python: boolean }): ReactNode {
  const { ok, content, is_error, structured, result, stdout, truncated, duration_ms, error, message, line } = answer;
  const good = ok && !is_error;
  const Icon = good ? CircleCheck : CircleX;
  const title = good ? texts.ok(duration_ms) : [texts.failed, line && texts.atLine(line)].filter(Boolean).join(' ');
  return (
    <Stack gap="sm" role="status">
      <Alert variant="light" color={good ? 'teal' : 'red'} icon={<Icon size={18} aria-hidden />} title={title}>
        {(message ?? error) ? (
          <>
            <Text style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>{message}</Text>
            {error && (
              <Text size="sm">
                {texts.code} <code>{error}</code>
              </Text>
            )}
          </>
        ) : null}
      </Alert>
      {content !== undefined && <CodeBlock label={texts.result} code={content} wrap />}
      {structured !== undefined && <JsonView label={texts.result} value={structured} />}
      {python && ok && <JsonView label={texts.result} value={result} />}
      {python && (
        <div>
          <Text size="sm" fw={500} mb={4}>
            {texts.stdout}
          </Text>
          {stdout ? (
            <CodeBlock label={texts.stdout} code={stdout} wrap />
          ) : (
            <Text size="sm" c="dimmed">
              {texts.nothingPrinted}
            </Text>
          )}
        </div>
      )}
      {truncated && (
        <Text size="sm" c="dimmed">
          {texts.truncated}
        </Text>
      )}
    </Stack>
  );
}
