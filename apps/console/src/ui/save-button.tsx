import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { uiTexts } from '../texts/ui.js';

/** Submits the surrounding form, and says beside it that this was done. @param saved what it says; null: nothing yet */
export function SaveButton({ saving, saved }: { saving: boolean; saved: string | null }): ReactNode {
  return (
    <Group>
      <Button type="submit" loading={saving}>
        {uiTexts.save}
      </Button>
      {saved && (
        <Text size="sm" role="status">
          {saved}
        </Text>
      )}
    </Group>
  );
}
