import { useLocalStorage } from '@mantine/hooks';

export const noticeChoices = ['off', 'errors', 'all'] as const;
export type NoticeChoice = (typeof noticeChoices)[number];

/** What this browser shows notices of the desktop about; for all projects. */
export function useNoticeChoice(): [choice: NoticeChoice, choose: (choice: NoticeChoice) => void] {
  const [kept, keep] = useLocalStorage<string>({
    key: 'desktop-notices',
    defaultValue: 'off',
    getInitialValueInEffect: false,
  });
  return [noticeChoices.find((choice) => choice === kept) ?? 'off', keep];
}

/** Whether the browser shows them. `unsupported`: it has none, or the page is not served in a way that it trusts. */
export const noticePermission = (): NotificationPermission | 'unsupported' =>
  'Notification' in window ? Notification.permission : 'unsupported';
