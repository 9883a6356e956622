import { Alert, Select, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/named-schema.js';
import { mcpTexts } from '../../texts/mcp-servers.js';

const texts = mcpTexts.fields;

type Sessions = Schema<'ServerView'>['sessions'];
const choices: readonly Sessions[] = ['conversation', 'shared'];

interface SessionsFieldProps {
  value: Sessions;
  onChange: (sessions: Sessions) => void;
}

/** Whose the session at the server is. One for all is a risk, which is named where it is chosen. */
export function SessionsField({ value, onChange }: SessionsFieldProps): ReactNode {
  return (
    <Stack gap="xs">
      <Select
        label={texts.sessions}
        description={texts.sessionsHint}
        allowDeselect={false}
        data={choices.map((choice) => ({ value: choice, label: texts.sessionChoices[choice] }))}
        value={value}
        onChange={(next) => onChange(choices.find((choice) => choice === next) ?? 'conversation')}
      />
      {value === 'shared' && (
        <Alert color="yellow" variant="light" role="alert">
          {texts.sharedWarning}
        </Alert>
      )}
    </Stack>
  );
}
