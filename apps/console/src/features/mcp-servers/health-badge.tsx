import type { ReactNode } from 'react';
import type { Schema } from '../../api/named-schema.js';
import { mcpTexts } from '../../texts/mcp-servers.js';
import { StatusBadge } from '../../ui/status-badge.js';

export function HealthBadge({ health }: { health: Schema<'ServerView'>['health'] }): ReactNode {
  return <StatusBadge status={health} label={mcpTexts.health[health]} />;
}
