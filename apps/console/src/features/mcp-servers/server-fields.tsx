import { Alert, Select, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import { mcpTexts } from '../../texts/mcp-servers.js';

/** The fields of the registration form. */
export interface ServerValues {
  url: string;
  name: string;
  mode: Schema<'ServerAuth'>['mode'];
  credentialId: string | null;
  header: string;
  clientId: string;
  clientSecret: string;
  policy: Schema<'ServerView'>['policy'];
  trust: Schema<'ServerView'>['trust'];
  sessions: Schema<'ServerView'>['sessions'];
}

export const emptyServer: ServerValues = {
  url: '',
  name: '',
  mode: 'none',
  credentialId: null,
  header: '',
  clientId: '',
  clientSecret: '',
  policy: 'block',
  trust: 'untrusted',
  sessions: 'conversation',
};

const texts = mcpTexts.fields;
const policies = ['block', 'warn', 'auto'] as const;

interface PolicyFieldProps {
  value: ServerValues['policy'];
  onChange: (policy: ServerValues['policy']) => void;
}

/** What happens when a server changes a tool. Everything except waiting is a power. */
export function PolicyField({ value, onChange }: PolicyFieldProps): ReactNode {
  const may = useScope('approvals:manage');
  return (
    <Select
      label={texts.policy}
      description={may ? undefined : texts.policyLacks}
      allowDeselect={false}
      data={policies.map((policy) => ({
        value: policy,
        label: texts.policies[policy],
        disabled: !may && policy !== 'block' && policy !== value,
      }))}
      value={value}
      onChange={(next) => onChange(policies.find((policy) => policy === next) ?? 'block')}
    />
  );
}

type Trust = Schema<'ServerView'>['trust'];
/** Least first. */
const trusts: readonly Trust[] = ['untrusted', 'partner', 'own'];

interface TrustFieldProps {
  value: Trust;
  /** What is in force, which anybody may keep. */
  now: Trust;
  recommended?: Schema<'ServerView'>['recommended_trust'];
  onChange: (trust: Trust) => void;
}

/** How far results are trusted. More than what is in force is a power. */
export function TrustField({ value, now, recommended, onChange }: TrustFieldProps): ReactNode {
  const may = useScope('approvals:manage');
  const hints = [
    texts.trustHints[value],
    recommended && recommended.trust !== value
      ? texts.recommended(texts.trusts[recommended.trust], recommended.why)
      : '',
    may ? '' : texts.trustLacks,
  ];
  return (
    <Select
      label={texts.trust}
      description={hints.filter((hint) => hint !== '').join(' ')}
      allowDeselect={false}
      data={trusts.map((trust) => ({
        value: trust,
        label: texts.trusts[trust],
        disabled: !may && trusts.indexOf(trust) > trusts.indexOf(now),
      }))}
      value={value}
      onChange={(next) => onChange(trusts.find((trust) => trust === next) ?? 'untrusted')}
    />
  );
}

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
