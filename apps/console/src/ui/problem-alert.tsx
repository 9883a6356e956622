import { Alert, Button, Group, List, Text } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiProblem } from '../api/problem.js';
import { own } from '../own.js';
import { uiTexts } from '../texts/ui.js';
import { CopyText } from './copy-text.js';

interface ProblemAlertProps {
  /** What was thrown. Null shows nothing. */
  error: unknown;
  onRetry?: () => void;
}

/** Says what went wrong and what to do, with the code and the request id to quote when asking for help. */
export function ProblemAlert({ error, onRetry }: ProblemAlertProps): ReactNode {
  if (!error) return null;
  const problem = error instanceof ApiProblem ? error : null;
  const hint = problem && own(uiTexts.hints, problem.code);
  return (
    <Alert
      color="red"
      variant="light"
      icon={<CircleAlert size={18} aria-hidden />}
      title={messageOf(error)}
      role="alert"
    >
      {hint && <Text size="sm">{hint}</Text>}
      {problem && problem.errors.length > 0 && (
        <List size="sm" my={4}>
          {problem.errors.map(({ field, message }) => (
            <List.Item key={`${field} ${message}`}>
              <code>{field}</code> {message}
            </List.Item>
          ))}
        </List>
      )}
      <Group gap="md" mt={4}>
        {problem && (
          <Text size="sm" component="span">
            {uiTexts.code} <code>{problem.code}</code>
          </Text>
        )}
        {problem?.limit && (
          <Text size="sm" component="span">
            {uiTexts.limit} <code>{problem.limit.name}</code> {uiTexts.limitOf(problem.limit)}
          </Text>
        )}
        {problem?.requestId && <CopyText label={uiTexts.requestId} text={problem.requestId} />}
        {onRetry && (
          <Button size="compact-sm" variant="default" onClick={onRetry}>
            {uiTexts.tryAgain}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : uiTexts.failed);
