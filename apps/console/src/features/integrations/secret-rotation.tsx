import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useCredentials } from '../../api/choices.js';
import { answer, api } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { useRefresh } from '../../api/use-change.js';
import { signatureTexts } from '../../texts/app-signatures.js';
import { overlapTexts } from '../../texts/ui.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { LinkAnchor } from '../../ui/links.js';
import { Unread } from '../../ui/name-of.js';
import { ProblemAlert } from '../../ui/notices.js';
import { OverlapSelect, usualOverlapSeconds } from '../../ui/overlap-select.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { generateSecret, keepSecret, linkSecret, secretField, secretOf, type Signature } from './signing-secret.js';
import { type App, touched } from './use-app.js';

const texts = signatureTexts.secret;

interface SecretRotationProps {
  app: App;
  scheme: Signature['scheme'];
  onSecret: (secret: string) => void;
}

/** The secret that requests are signed with: whether it is set, and how it is replaced. */
export function SecretRotation({ app, scheme, onSecret }: SecretRotationProps): ReactNode {
  const projectId = useProjectId();
  const may = useScope('credentials:write');
  const refresh = useRefresh(...touched);
  const mayRead = useScope('credentials:read');
  const { data: credentials, isPending } = useCredentials(mayRead);
  const reading = mayRead && isPending;
  const linked = secretOf(app);
  const id = linked?.credential_id ?? null;
  const record = credentials?.find((credential) => credential.id === id);
  const [overlap, setOverlap] = useState(usualOverlapSeconds);
  const rotating = record?.rotating.find(({ field }) => field === secretField);
  const renew = useMutation({
    mutationFn: async () => {
      const secret = generateSecret(scheme);
      if (id && record) {
        const path = { id, field: secretField };
        await answer(
          api.POST('/api/v1/credentials/{id}/fields/{field}/rotate', {
            params: { path },
            body: { value: secret, overlap_seconds: overlap },
          }),
        );
      } else {
        await linkSecret(app, await keepSecret(app, secret));
      }
      return secret;
    },
    onSuccess: async (secret) => {
      onSecret(secret);
      await refresh();
    },
  });
  const end = useMutation({
    mutationFn: (credentialId: string) =>
      answer(
        api.POST('/api/v1/credentials/{id}/fields/{field}/finish-rotation', {
          params: { path: { id: credentialId, field: secretField } },
        }),
      ),
  });
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Text fw={500}>{texts.secret}</Text>
        {id ? (
          <>
            <StatusBadge status={linked?.status === 'active' ? 'active' : (linked?.status ?? 'unknown')} />
            <LinkAnchor
              size="sm"
              to={{ to: '/p/$projectId/credentials/$credentialId', params: { projectId, credentialId: id } }}
            >
              {record?.name ?? (reading ? <Unread /> : id)}
            </LinkAnchor>
          </>
        ) : (
          <Text size="sm">{texts.notSet}</Text>
        )}
      </Group>
      {may && (
        <Group gap="xs">
          {!id && (
            <Button loading={renew.isPending} onClick={() => renew.mutate()}>
              {texts.generate}
            </Button>
          )}
          {id && record && (
            <Group gap="xs" align="flex-end">
              <OverlapSelect seconds={overlap} onChange={setOverlap} />
              {overlap > 0 ? (
                <Button variant="default" loading={renew.isPending} onClick={() => renew.mutate()}>
                  {texts.second}
                </Button>
              ) : (
                <ConfirmButton
                  question={texts.replaceQuestion}
                  loading={renew.isPending}
                  onConfirm={() => renew.mutate()}
                >
                  {texts.replace}
                </ConfirmButton>
              )}
              {rotating && (
                <ConfirmButton question={texts.endQuestion} loading={end.isPending} onConfirm={() => end.mutate(id)}>
                  {texts.endOverlap}
                </ConfirmButton>
              )}
            </Group>
          )}
          {id && reading && <Skeleton height={36} width={120} />}
        </Group>
      )}
      {(rotating ?? end.isSuccess) && (
        <Text size="sm" c="dimmed" role="status">
          {rotating ? (
            <>
              {overlapTexts.until} <When at={rotating.until} />
            </>
          ) : (
            texts.ended
          )}
        </Text>
      )}
      <ProblemAlert error={renew.error ?? end.error} />
    </Stack>
  );
}
