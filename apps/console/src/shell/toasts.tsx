import '@mantine/notifications/styles.layer.css';
import { Notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';

/** Where a change says that it was made; what is said before it is there waits for it. */
export default function Toasts(): ReactNode {
  return <Notifications position="bottom-right" />;
}
