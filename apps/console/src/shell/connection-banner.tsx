import { Alert, Loader } from '@mantine/core';
import { type ReactNode, useSyncExternalStore } from 'react';
import { connection } from '../api/connection.js';
import { shellTexts } from '../texts/shell.js';

/** Stands while nobody answers, and goes by itself. */
export function ConnectionBanner(): ReactNode {
  const lost = useSyncExternalStore(connection.subscribe, connection.isLost);
  return (
    <div role="status">
      {lost && (
        <Alert
          variant="filled"
          color="yellow"
          radius={0}
          py={8}
          icon={<Loader size={16} color="dark" aria-hidden />}
          c="black"
        >
          {shellTexts.connectionLost}
        </Alert>
      )}
    </div>
  );
}
