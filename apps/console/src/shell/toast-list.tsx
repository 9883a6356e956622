import '@mantine/notifications/styles.layer.css';
import { Notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';

export default function ToastList(): ReactNode {
  return <Notifications position="bottom-right" />;
}
