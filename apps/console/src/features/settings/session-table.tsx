import { Badge, Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { MonitorSmartphone } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useCursorList } from '../../api/project-query.js';
import { sessionQuery } from '../../api/session.js';
import { useChange } from '../../api/use-change.js';
import { settingsTexts } from '../../texts/settings.js';
import { uiTexts } from '../../texts/ui.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { When } from '../../ui/when.js';

type MemberSession = Schema<'MemberSessionView'>;
const texts = settingsTexts.sessions;
const pageSize = 50;
const pollMs = 15_000;

/** Where a member is signed in. @param memberId absent: the person's own sessions */
export function SessionTable({ memberId }: { memberId?: string }): ReactNode {
  const queryClient = useQueryClient();
  const list = useCursorList(
    ['member-sessions', memberId ?? 'own'],
    (cursor, signal) =>
      answer(
        api.GET('/api/v1/member-sessions', {
          params: { query: { limit: pageSize, cursor, member_id: memberId } },
          signal,
        }),
      ),
    { refetchInterval: pollMs },
  );
  const end = useChange(async ({ id, current }: MemberSession) => {
    await answer(api.DELETE('/api/v1/member-sessions/{id}', { params: { path: { id } } }));
    // The person's own session: refetching it leads to the sign-in page.
    if (current) await queryClient.invalidateQueries(sessionQuery);
  }, 'member-sessions');
  return (
    <>
      <ProblemAlert error={end.error} />
      <DataTable
        label={texts.title}
        columns={columnsWith((session) => end.mutate(session))}
        list={list}
        rowKey={({ id }) => id}
        empty={<EmptyState icon={MonitorSmartphone} {...texts.empty} />}
      />
    </>
  );
}

function columnsWith(end: (session: MemberSession) => void): Column<MemberSession>[] {
  const { columns } = texts;
  return [
    {
      id: 'device',
      label: columns.device,
      width: 'minmax(0, 2fr)',
      cell: ({ user_agent, current }) => (
        <Group gap="xs" wrap="nowrap" title={user_agent ?? undefined}>
          {deviceOf(user_agent)}
          {current && (
            <Badge variant="light" tt="none" radius="sm" fw={500}>
              {texts.current}
            </Badge>
          )}
        </Group>
      ),
    },
    { id: 'address', label: columns.address, cell: ({ address }) => <code>{address}</code> },
    { id: 'method', label: columns.method, cell: ({ method }) => texts.methods[method], hideOnPhone: true },
    {
      id: 'since',
      label: columns.since,
      cell: ({ created_at }) => <When at={created_at} relative />,
      hideOnPhone: true,
    },
    { id: 'used', label: columns.used, cell: ({ last_used_at }) => <When at={last_used_at} relative /> },
    {
      id: 'end',
      label: uiTexts.actions,
      width: '96px',
      cell: (session) => (
        <ConfirmButton
          size="compact-sm"
          question={session.current ? texts.endCurrent : texts.endQuestion}
          onConfirm={() => end(session)}
        >
          {texts.end}
        </ConfirmButton>
      ),
    },
  ];
}

/** In this order: later browsers' names also appear in earlier browsers' User-Agents. */
const browsers: [string, RegExp][] = [
  ['Edge', /\bEdg\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\bFirefox\//],
  ['Chrome', /\b(Headless)?Chrome\//],
  ['Safari', /\bSafari\//],
  ['curl', /^curl\//],
];
const systems: [string, RegExp][] = [
  ['iOS', /\biP(hone|ad)\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
];

/** `Firefox on Linux`, as far as the User-Agent shows. */
function deviceOf(userAgent: string | null): string {
  if (!userAgent) return settingsTexts.sessions.unknownDevice;
  const [browser, system] = [browsers, systems].map((known) => known.find(([, mark]) => mark.test(userAgent))?.[0]);
  if (!browser) return userAgent;
  return system ? settingsTexts.sessions.device(browser, system) : browser;
}
