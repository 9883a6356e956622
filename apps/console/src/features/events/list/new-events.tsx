import { Button, Group } from '@mantine/core';
import { ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { eventTexts } from '../../../texts/events.js';
import classes from './new-events.module.css';

interface NewEventsProps {
  /** New events that are not shown yet. */
  count: number;
  onShow: () => void;
  children: ReactNode;
}

/** Whether the list follows new events, and how many arrived while it does not. It stays in sight while scrolling. */
export function NewEvents({ count, onShow, children }: NewEventsProps): ReactNode {
  return (
    <Group className={classes.bar} justify="space-between" mih={36}>
      <Group gap="xs">{children}</Group>
      <div aria-live="polite" className={classes.floating}>
        {count > 0 && (
          <Button size="compact-md" radius="xl" leftSection={<ArrowUp size={14} aria-hidden />} onClick={onShow}>
            {eventTexts.waiting(count)}
          </Button>
        )}
      </div>
    </Group>
  );
}
