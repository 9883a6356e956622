import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { muteTexts } from '../texts/ui.js';

/** For how long nobody wants to hear of it. */
export function MuteFor({ onChoose }: { onChoose: (hours: number) => void }): ReactNode {
  return (
    <Group gap={6} role="group" aria-label={muteTexts.howLong}>
      {Object.entries(muteTexts.hours).map(([hours, label]) => (
        <Button key={hours} size="compact-sm" variant="default" onClick={() => onChoose(Number(hours))}>
          {label}
        </Button>
      ))}
    </Group>
  );
}
