import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePrincipalName } from '../api/principals.js';
import { useProjectQuery } from '../api/project-query.js';
import { historyTexts as texts } from '../texts/history.js';
import type { Versioned } from './versioned.js';
import { When } from './when.js';

interface ChangedByProps {
  of: Pick<Versioned, 'key' | 'list' | 'nobody'>;
}

/** Who changed something last, and when; nothing where that is not known. */
export function ChangedBy({ of }: ChangedByProps): ReactNode {
  const nameOf = usePrincipalName();
  const { data } = useProjectQuery([...of.key, 'versions', 'newest'], (signal) => of.list({ limit: 20 }, signal));
  const newest = data?.data.find(({ state }) => state === 'in_force');
  const who = newest?.promoted_by ?? newest?.made_by;
  if (!newest || !who) return null;
  return (
    <Text component="span" size="sm" c="dimmed">
      {texts.changedBy(nameOf(who))} <When at={newest.promoted_at ?? newest.created_at} relative />
    </Text>
  );
}
