import { useNotifications } from '@mantine/notifications';
import { lazy, type ReactNode } from 'react';
import { OnceOpened } from '../ui/once-opened.js';

const ToastList = lazy(() => import('./toast-list.js'));

/** Where a change says that it was made. The first one that says so waits for it to be loaded. */
export function Toasts(): ReactNode {
  const { notifications } = useNotifications();
  return (
    <OnceOpened opened={notifications.length > 0}>
      <ToastList />
    </OnceOpened>
  );
}
