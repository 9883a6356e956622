import { Alert, SegmentedControl, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { noticeChoices, noticePermission, useNoticeChoice } from '../../api/desktop-notices.js';
import { alertTexts } from '../../texts/alerts.js';
import { Section } from '../../ui/page.js';

const texts = alertTexts.desktop;

/** Whether this browser shows notices of the desktop. */
export function DesktopNotices(): ReactNode {
  const [choice, choose] = useNoticeChoice();
  const [permission, setPermission] = useState(noticePermission);
  const take = async (next: (typeof noticeChoices)[number]): Promise<void> => {
    const given = next === 'off' || permission === 'unsupported' ? permission : await Notification.requestPermission();
    setPermission(given);
    choose(next === 'off' || given === 'granted' ? next : 'off');
  };
  return (
    <Section title={alertTexts.tabs.desktop}>
      <Stack gap="sm" maw={640} align="flex-start">
        <Text>{texts.text}</Text>
        {permission === 'unsupported' ? (
          <Alert variant="light" color="gray">
            {texts.unsupported}
          </Alert>
        ) : (
          <SegmentedControl
            aria-label={texts.choice}
            data={noticeChoices.map((value) => ({ value, label: texts.choices[value] }))}
            value={permission === 'granted' ? choice : 'off'}
            onChange={(next) => {
              const chosen = noticeChoices.find((one) => one === next);
              if (chosen) void take(chosen);
            }}
          />
        )}
        {permission === 'denied' && (
          <Alert variant="light" color="yellow">
            {texts.denied}
          </Alert>
        )}
        <Text size="sm" c="dimmed">
          {texts.own}
        </Text>
      </Stack>
    </Section>
  );
}
