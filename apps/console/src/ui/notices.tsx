import { Alert, Button, Group, List, Stack, Text, ThemeIcon } from '@mantine/core';
import { CircleAlert, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiProblem } from '../api/problem.js';
import { own } from '../own.js';
import { uiTexts } from '../texts/ui.js';
import { CopyText } from './copy.js';

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
            {uiTexts.retry}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : uiTexts.failed);

/** The API's error of a field, to show at the field: `<TextInput error={fieldError(save.error, 'name')} />`. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined;
  return error.errors.find((wrong) => wrong.field === field)?.message;
}

/** The error without what these fields already show; null when nothing is left. */
export function errorBeside(error: unknown, fields: readonly string[]): unknown {
  if (!(error instanceof ApiProblem) || error.errors.length === 0) return error;
  return error.errors.every(({ field }) => fields.includes(field)) ? null : error;
}

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  /** What to do next, in a sentence. */
  text: ReactNode;
  action?: ReactNode;
}

/** Shown where there is nothing yet. */
export function EmptyState({ icon: Icon, title, text, action }: EmptyStateProps): ReactNode {
  return (
    <Stack align="center" gap={6} py={48} px="md" ta="center">
      <ThemeIcon variant="light" color="gray" size={44} radius="xl" mb={6}>
        <Icon size={22} aria-hidden />
      </ThemeIcon>
      <Text fw={600}>{title}</Text>
      <Text c="dimmed" maw={420}>
        {text}
      </Text>
      {action && <div style={{ marginTop: 10 }}>{action}</div>}
    </Stack>
  );
}
