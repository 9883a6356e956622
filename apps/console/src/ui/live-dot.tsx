import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { StreamState } from '../api/event-stream.js';
import { uiTexts } from '../texts/ui.js';
import classes from './live-dot.module.css';

/** Whether a page updates live. */
export function LiveDot({ state }: { state: StreamState }): ReactNode {
  return (
    <Group gap={6} wrap="nowrap" role="status" display="inline-flex">
      <span className={classes.dot} data-state={state} aria-hidden />
      <Text size="sm" c="dimmed" component="span">
        {uiTexts.stream[state]}
      </Text>
    </Group>
  );
}
