import { Alert, Text } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../api/client.js';
import { useProjectQuery } from '../api/project-query.js';
import { useScope } from '../api/session.js';
import { meaningTexts as texts } from '../texts/meaning.js';
import { When } from './when.js';

/** Why documents get no vectors at the moment. */
export function MeaningFailure({ failure }: { failure: Schema<'Failure'> }): ReactNode {
  return (
    <Alert color="red" variant="light" icon={<CircleAlert size={18} aria-hidden />} title={texts.failing}>
      {failure.error} {failure.what_to_do}
      {failure.next_try_at && (
        <Text size="sm">
          {texts.nextTry} <When at={failure.next_try_at} relative />
        </Text>
      )}
    </Alert>
  );
}

/** The same on pages of what waits for its vectors; nothing while they are made. */
export function MeaningWaits(): ReactNode {
  return useScope('knowledge:read') ? <Waits /> : null;
}

function Waits(): ReactNode {
  const { data } = useProjectQuery(['knowledge', 'meaning'], (signal) =>
    answer(api.GET('/api/v1/knowledge/meaning', { signal })),
  );
  return data?.failure ? <MeaningFailure failure={data.failure} /> : null;
}
