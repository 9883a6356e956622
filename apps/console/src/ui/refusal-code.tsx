import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { refusalTexts } from '../texts/refusals.js';

/** Why a request was refused: the code of the answer, and for a limit which one it was and how it is raised. */
export function RefusalCode({ code, under }: { code: string; under?: ReactNode }): ReactNode {
  const limit = refusalTexts.limits[code];
  return (
    <>
      <Text component="div" truncate inherit>
        <code>{code}</code>
      </Text>
      {(limit ?? under) && (
        <Text component="div" size="xs" c="dimmed" truncate={limit === undefined}>
          {limit ?? under}
        </Text>
      )}
    </>
  );
}
