import { Popover, type PopoverProps } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

export interface FullPopoverProps extends PopoverProps {
  label?: string;
  target: ReactElement;
}

export default function FullPopover({ label, target, children, ...popover }: FullPopoverProps): ReactNode {
  return (
    <Popover trapFocus shadow="md" {...popover}>
      <Popover.Target>{target}</Popover.Target>
      <Popover.Dropdown aria-label={label}>{children}</Popover.Dropdown>
    </Popover>
  );
}
