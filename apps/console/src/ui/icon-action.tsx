import { ActionIcon } from '@mantine/core';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Hint } from './hint.js';

interface IconActionProps {
  /** What it does, and to what. */
  label: string;
  icon: LucideIcon;
  /** Of what it opens and closes: whether that is open. */
  expanded?: boolean;
  onPress: () => void;
}

/** A small button of a row. */
export function IconAction({ label, icon: Icon, expanded, onPress }: IconActionProps): ReactNode {
  return (
    <Hint label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} aria-expanded={expanded} onClick={onPress}>
        <Icon size={16} aria-hidden />
      </ActionIcon>
    </Hint>
  );
}
