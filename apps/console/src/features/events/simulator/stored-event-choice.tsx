import { Select, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api } from '../../../api/client.js';
import { useProjectQuery } from '../../../api/project-query.js';
import { useScope } from '../../../api/session.js';
import { simulatorTexts } from '../../../texts/simulator.js';

const shown = 50;

interface StoredEventChoiceProps {
  appId: string;
  chosen: string | undefined;
  onChoose: (id: string | undefined) => void;
}

/** One of the App's last events. */
export function StoredEventChoice({ appId, chosen, onChoose }: StoredEventChoiceProps): ReactNode {
  const mayRead = useScope('events:read_body');
  const { data = [] } = useProjectQuery(
    ['events', 'of-app', appId],
    async (signal) => {
      const query = { app_id: appId, limit: shown };
      return (await answer(api.GET('/api/v1/events', { params: { query }, signal }))).data;
    },
    { enabled: mayRead },
  );
  if (!mayRead) return <Text c="dimmed">{simulatorTexts.noScope}</Text>;
  return (
    <Select
      label={simulatorTexts.event}
      description={simulatorTexts.eventHint}
      searchable
      data={data.map(({ id, text, event_type }) => ({ value: id, label: text ?? event_type ?? id }))}
      value={chosen ?? null}
      onChange={(id) => onChoose(id ?? undefined)}
    />
  );
}
