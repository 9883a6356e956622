import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api } from '../api/client.js';
import { useChange } from '../api/use-change.js';
import type { connectOutcomes } from '../app/search.js';
import { credentialTexts } from '../texts/credentials.js';
import { ProblemAlert } from './notices.js';

const texts = credentialTexts.oauth;

/** What shows the account: the credential itself, and what it fills. */
const changed = ['credentials', 'apps', 'mcp-servers'];

interface ConnectOutcomeProps {
  credentialId: string;
  outcome: (typeof connectOutcomes)[number];
  flow: string | undefined;
  code: string | undefined;
  onDone: () => void;
}

/** The result of connecting at the provider. Asks what to do if the account is a different one. */
export function ConnectOutcome({ credentialId, outcome, flow, code, onDone }: ConnectOutcomeProps): ReactNode {
  const decide = useChange(
    (take: 'confirm' | 'decline') => {
      const params = { path: { id: credentialId, flow: flow ?? '' } };
      return answer(
        take === 'confirm'
          ? api.POST('/api/v1/credentials/{id}/connect/{flow}/confirm', { params })
          : api.POST('/api/v1/credentials/{id}/connect/{flow}/decline', { params }),
      );
    },
    ...changed,
  );
  if (outcome === 'failed')
    return (
      <Alert
        variant="light"
        color="red"
        icon={<TriangleAlert size={18} aria-hidden />}
        title={texts.failed(code ?? '')}
        withCloseButton
        onClose={onDone}
        role="alert"
      />
    );
  if (outcome === 'connected' || decide.isSuccess)
    return (
      <Alert
        variant="light"
        color="teal"
        icon={<CircleCheck size={18} aria-hidden />}
        title={decide.variables ? texts.decided[decide.variables] : texts.connected}
        withCloseButton
        onClose={onDone}
        role="status"
      />
    );
  return (
    <Alert variant="light" color="yellow" icon={<TriangleAlert size={18} aria-hidden />} title={texts.otherTitle}>
      <Stack gap="sm">
        <Text size="sm">{texts.otherText}</Text>
        <Group gap="xs">
          <Button loading={decide.isPending} onClick={() => decide.mutate('confirm')}>
            {texts.confirm}
          </Button>
          <Button variant="default" loading={decide.isPending} onClick={() => decide.mutate('decline')}>
            {texts.decline}
          </Button>
        </Group>
        <ProblemAlert error={decide.error} />
      </Stack>
    </Alert>
  );
}

/**
 * Sends the browser to the provider of an OAuth credential.
 * @param returnTo the page that it comes back to: the credential's, or that of its consumer
 */
export function useConnect(returnTo: 'credential' | 'consumer' = 'credential') {
  return useMutation({
    mutationFn: (credentialId: string) =>
      answer(
        api.POST('/api/v1/credentials/{id}/connect', {
          params: { path: { id: credentialId } },
          body: { return_to: returnTo },
        }),
      ),
    onSuccess: ({ authorization_url }) => window.location.assign(authorization_url),
  });
}
