import { Alert, Group, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/named-schema.js';
import { useConnect } from '../../api/use-connect.js';
import { mcpTexts } from '../../texts/mcp-servers.js';
import { ActionButton } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/problem-alert.js';

/** Why a server is not as it should be; one that asks for consent is connected from here. */
export function ServerHealth({ server }: { server: Schema<'ServerView'> }): ReactNode {
  const reason = useReason('credentials:write');
  const { health, health_reason: why, auth } = server;
  const credentialId = auth.mode === 'oauth' && health === 'auth_failed' ? auth.credential_id : null;
  const connect = useConnect('consumer');
  if (health === 'reachable') return null;
  return (
    <Alert
      variant="light"
      color={health === 'auth_failed' ? 'red' : 'yellow'}
      icon={<TriangleAlert size={18} aria-hidden />}
    >
      <Text style={{ overflowWrap: 'anywhere' }}>{why ?? mcpTexts.health[health]}</Text>
      {credentialId && (
        <>
          <Text size="sm" mt={4}>
            {mcpTexts.connectHint}
          </Text>
          <Group mt="sm">
            <ActionButton reason={reason} loading={connect.isPending} onClick={() => connect.mutate(credentialId)}>
              {mcpTexts.connect}
            </ActionButton>
          </Group>
          <ProblemAlert error={connect.error} />
        </>
      )}
    </Alert>
  );
}
