import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import Navigation from './navigation.js';

interface SideDrawerProps {
  opened: boolean;
  onClose: () => void;
  onSearch: () => void;
}

/** The navigation on narrow screens. */
export default function SideDrawer({ opened, onClose, onSearch }: SideDrawerProps): ReactNode {
  return (
    <Drawer opened={opened} onClose={onClose} size={272} padding={0} withCloseButton={false}>
      <Navigation onSearch={onSearch} />
    </Drawer>
  );
}
