import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { uiTexts } from '../texts/ui.js';
import { When } from './when.js';

/** Says of what lags when it was whole: a time, since the page’s clock is too slow for a few seconds. */
export function AsOf({ at }: { at: string | null | undefined }): ReactNode {
  if (!at) return null;
  return (
    <Text size="sm" c="dimmed" component="span">
      {uiTexts.asOf} <When at={at} />
    </Text>
  );
}
