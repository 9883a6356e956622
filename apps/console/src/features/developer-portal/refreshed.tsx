import { Alert, Button, Group, Text } from '@mantine/core';
import { CircleCheck, GitCompare } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/named-schema.js';
import { developerPortalTexts } from '../../texts/developer-portal.js';
import { type Adapter, useVersions } from './use-adapter.js';

const texts = developerPortalTexts.one;

interface RefreshedProps {
  adapter: Adapter;
  /** The result of the last refresh. */
  found: Schema<'RefreshedAdapterView'> | undefined;
  /** When the refresh was requested, in milliseconds. */
  before: number;
  onReview: (number: number) => void;
}

/** Whether a manifest waits for approval, and what a refresh found. */
export function Refreshed({ adapter, found, before, onReview }: RefreshedProps): ReactNode {
  const { data: versions } = useVersions(adapter.id);
  const newest = versions?.[0];
  const waiting = newest && newest.activated_at === null && newest.number > adapter.manifest_version ? newest : null;
  if (waiting)
    return (
      <Alert variant="light" color="yellow" icon={<GitCompare size={18} aria-hidden />} role="status">
        <Group justify="space-between" gap="sm">
          <Text fw={500}>{texts.pending(waiting.number)}</Text>
          <Button size="compact-sm" variant="default" onClick={() => onReview(waiting.number)}>
            {texts.review}
          </Button>
        </Group>
      </Alert>
    );
  if (!found) return null;
  const isNew = new Date(found.version.created_at).getTime() >= before - clockToleranceMs;
  return (
    <Alert variant="light" color="teal" icon={<CircleCheck size={18} aria-hidden />} role="status">
      {isNew && found.version.number > 1 ? texts.taken(found.version.number) : texts.unchanged}
    </Alert>
  );
}

/** The browser's clock may differ from the server's. */
const clockToleranceMs = 5_000;
