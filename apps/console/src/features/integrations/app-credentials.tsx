import { Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { credentialStatus, useCredentials } from '../../api/choices.js';
import { useProjectId } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import type { Schema } from '../../api/client.js';
import { useConnect } from '../../ui/connect-outcome.js';
import { integrationTexts } from '../../texts/integrations.js';
import { LinkAnchor } from '../../ui/links.js';
import { Unread } from '../../ui/name-of.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { CredentialSelect } from './credential-select.js';
import { type App, useAppChange } from './use-app.js';

const texts = integrationTexts.credentials;

/** The credentials that the adapter declares, and what fills them. */
export default function AppCredentials({ app }: { app: App }): ReactNode {
  return (
    <Section title={texts.title}>
      {app.credentials.length === 0 && <Text c="dimmed">{texts.none}</Text>}
      <Stack gap="lg">
        {app.credentials.map((declared) => (
          <Declared key={declared.key} app={app} declared={declared} />
        ))}
      </Stack>
    </Section>
  );
}

function Declared({ app, declared }: { app: App; declared: Schema<'AppCredentialView'> }): ReactNode {
  const { key, type, label, required, credential_id: id, status, missing_fields = [] } = declared;
  const projectId = useProjectId();
  const mayWrite = useScope('apps:write');
  const mayConnect = useScope('credentials:write');
  const { data: credentials, isLoading } = useCredentials(useScope('credentials:read'));
  const change = useAppChange(app.id);
  const connect = useConnect();
  const name = credentials?.find((credential) => credential.id === id)?.name ?? id;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {id ? (
          <LinkAnchor
            to={{ to: '/p/$projectId/credentials/$credentialId', params: { projectId, credentialId: id } }}
            fw={500}
          >
            {isLoading ? <Unread /> : name}
          </LinkAnchor>
        ) : (
          <Text fw={500}>{texts.notLinked}</Text>
        )}
        {status && <StatusBadge status={credentialStatus(status)} />}
        <Text size="sm" c="dimmed">
          {key}, {required ? texts.required : texts.optional}
        </Text>
        {!id && mayWrite && mayConnect && (
          <Button
            size="compact-sm"
            variant="default"
            ml="auto"
            renderRoot={(props) => (
              <Link
                {...props}
                to="/p/$projectId/credentials"
                params={{ projectId }}
                search={{ make: app.adapter_id ?? '', app: app.id, as: key }}
              />
            )}
          >
            {texts.make}
          </Button>
        )}
        {id && type === 'oauth2' && mayConnect && (
          <Button
            size="compact-sm"
            ml="auto"
            variant={status === 'active' ? 'default' : 'filled'}
            loading={connect.isPending}
            onClick={() => connect.mutate(id)}
          >
            {status === 'pending' ? texts.connect : texts.reconnect}
          </Button>
        )}
      </Group>
      {missing_fields.length > 0 && <Text size="sm">{texts.lacks(missing_fields.join(', '))}</Text>}
      {mayWrite && (
        <CredentialSelect
          type={type}
          label={texts.link(label)}
          required={required}
          value={id}
          disabled={change.isPending}
          onChange={(chosen) => change.mutate({ credentials: { [key]: chosen } })}
        />
      )}
      <ProblemAlert error={change.error ?? connect.error} />
    </Stack>
  );
}
