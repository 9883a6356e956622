import { useNotifications } from '@mantine/notifications';
import { lazy, type ReactNode } from 'react';
import { OnceOpened } from '../ui/later.js';

const ToastList = lazy(() => import('./toast-list.js'));

/** Notifications of changes. The first one waits until the code has loaded. */
export function Toasts(): ReactNode {
  const { notifications } = useNotifications();
  return (
    <OnceOpened opened={notifications.length > 0}>
      <ToastList />
    </OnceOpened>
  );
}
