import { Text } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { useScope } from '../../api/session.js';
import { mcpTexts } from '../../texts/mcp-servers.js';
import type { Discovery } from './use-discovery.js';

/** A server that just got an account is asked for its tools at once: nobody looked there before. */
export function ServerConnected({ discovery }: { discovery: Discovery }): ReactNode {
  const may = useScope('tools:write');
  const { mutate, isPending } = discovery;
  useEffect(() => {
    if (may) mutate();
  }, [may, mutate]);
  return (
    isPending && (
      <Text c="dimmed" role="status">
        {mcpTexts.looking}
      </Text>
    )
  );
}
