import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';

interface SideDrawerProps {
  opened: boolean;
  onClose: () => void;
  children: ReactNode;
}

export function SideDrawer({ opened, onClose, children }: SideDrawerProps): ReactNode {
  return (
    <Drawer opened={opened} onClose={onClose} size={272} padding={0} withCloseButton={false}>
      {children}
    </Drawer>
  );
}
