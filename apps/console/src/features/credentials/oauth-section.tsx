import { Badge, Button, Group, Modal, Skeleton, Stack, Text, Timeline } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { credentialStatus } from '../../api/choices.js';
import { isProblem } from '../../api/problem.js';
import { useScope } from '../../api/session.js';
import { useConnect } from '../../ui/connect-outcome.js';
import { credentialTexts } from '../../texts/credentials.js';
import { uiTexts } from '../../texts/ui.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { CopyField } from '../../ui/copy.js';
import { FieldList } from '../../ui/facts.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { type Credential, type Grant, useCredentialMutation, useGrant } from './use-credential.js';

const texts = credentialTexts.oauth;

/** The account behind an OAuth credential: its scopes, and the state of its tokens. */
export function OauthSection({ credential }: { credential: Credential }): ReactNode {
  const { id } = credential;
  const may = useScope('credentials:write');
  const { data: grant, error } = useGrant(id, true);
  const unset = isProblem(error, 'grant_not_found');
  const connect = useConnect();
  const revoke = useCredentialMutation(() =>
    answer(api.POST('/api/v1/credentials/{id}/oauth/revoke', { params: { path: { id } } })),
  );
  const byConsent = credential.grant === 'authorization_code';
  return (
    <Section
      title={texts.title}
      actions={
        may &&
        (grant || (unset && credential.adapter_slug)) && (
          <Group gap="xs">
            {byConsent && (
              <Button
                size="compact-sm"
                variant={grant?.state === 'active' ? 'default' : 'filled'}
                loading={connect.isPending}
                onClick={() => connect.mutate(id)}
              >
                {grant && grant.state !== 'pending' ? texts.reconnect : texts.connect}
              </Button>
            )}
            {byConsent && <ConnectLink id={id} />}
            {grant && grant.state !== 'pending' && grant.state !== 'revoked' && (
              <ConfirmButton
                size="compact-sm"
                question={texts.disconnectQuestion}
                loading={revoke.isPending}
                onConfirm={() => revoke.mutate(undefined)}
              >
                {texts.disconnect}
              </ConfirmButton>
            )}
          </Group>
        )
      }
    >
      <Stack gap="md">
        <ProblemAlert error={connect.error ?? revoke.error} />
        {!grant && !error && <Skeleton height={120} />}
        {error && !unset && <ProblemAlert error={error} />}
        {unset && <Text>{credential.adapter_slug ? texts.notYet : texts.noProvider}</Text>}
        {grant && <GrantState grant={grant} />}
      </Stack>
    </Section>
  );
}

function GrantState({ grant }: { grant: Grant }): ReactNode {
  const { scopes, missing_scopes: missing, answer_fields: received, events } = grant;
  return (
    <>
      <FieldList
        fields={[
          [texts.lastRefreshed, <When key="last" at={grant.last_refreshed_at} />],
          [texts.nextRefresh, grant.next_refresh_at && <When key="next" at={grant.next_refresh_at} />],
          [texts.expires, grant.access_token_expires_at && <When key="until" at={grant.access_token_expires_at} />],
          [texts.scopes, scopes.length > 0 && <Names key="scopes" names={scopes} />],
          [texts.missingScopes, missing.length > 0 && <Names key="missing" names={missing} />],
          [texts.answerFields, received.length > 0 && <Names key="received" names={received} />],
          [texts.failures, grant.consecutive_failures || null],
        ]}
      />
      <CopyField label={texts.redirect} description={texts.redirectHint} value={grant.redirect_uri} />
      <div>
        <Text fw={500} mb="xs">
          {texts.history}
        </Text>
        {events.length === 0 && (
          <Text size="sm" c="dimmed">
            {texts.noHistory}
          </Text>
        )}
        <Timeline bulletSize={12} lineWidth={2} active={events.length}>
          {events.map(({ at, from, to, reason }) => (
            <Timeline.Item key={`${at} ${from} ${to}`}>
              <Group gap="xs">
                <StatusBadge status={credentialStatus(to)} />
                <Text size="sm" c="dimmed" component="span">
                  <When at={at} />
                </Text>
              </Group>
              {reason && <Text size="sm">{reason}</Text>}
            </Timeline.Item>
          ))}
        </Timeline>
      </div>
    </>
  );
}

function Names({ names }: { names: string[] }): ReactNode {
  return (
    <Group gap={4}>
      {names.map((name) => (
        <Badge key={name} variant="default" radius="sm" tt="none" fw={500}>
          {name}
        </Badge>
      ))}
    </Group>
  );
}

/** A link with which somebody without an account here connects theirs. */
function ConnectLink({ id }: { id: string }): ReactNode {
  const make = useMutation({
    mutationFn: () =>
      answer(api.POST('/api/v1/credentials/{id}/connect-links', { params: { path: { id } }, body: {} })),
  });
  return (
    <>
      <Button size="compact-sm" variant="default" loading={make.isPending} onClick={() => make.mutate()}>
        {texts.link}
      </Button>
      <Modal opened={!make.isIdle && !make.isPending} onClose={() => make.reset()} title={texts.linkTitle} centered>
        <Stack gap="md">
          <ProblemAlert error={make.error} />
          {make.data && (
            <>
              <Text size="sm">{texts.linkText}</Text>
              <CopyField label={texts.linkLabel} value={make.data.url} />
              <Text size="sm" c="dimmed">
                {texts.linkUntil} <When at={make.data.expires_at} />
              </Text>
            </>
          )}
          <Group justify="flex-end">
            <Button onClick={() => make.reset()}>{uiTexts.done}</Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
