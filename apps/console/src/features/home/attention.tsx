import { Group, Skeleton, Stack, Text, ThemeIcon } from '@mantine/core';
import { BellOff, CircleCheck, CircleX, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { type AttentionItem as Item, useAttention } from '../../api/attention.js';
import { own } from '../../own.js';
import { homeTexts } from '../../texts/home.js';
import { ProblemAlert } from '../../ui/notices.js';
import { ProjectLink } from '../../ui/links.js';
import { TimedText, When } from '../../ui/when.js';
import { Mute } from './mute.js';

const texts = homeTexts.attention;

/** One line for each thing that does not work or waits for a person. */
export function Attention(): ReactNode {
  const { data, error, refetch } = useAttention();
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={24} />;
  if (data.length === 0) {
    return (
      <Line icon={CircleCheck} color="teal">
        <Text c="dimmed">{texts.none}</Text>
      </Line>
    );
  }
  return (
    <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {data.map((item) => (
        <li key={`${item.cause} ${item.text}`}>
          <Line {...markOf(item)} end={<Mute item={item} />}>
            <Problem item={item} />
          </Line>
        </li>
      ))}
    </Stack>
  );
}

function markOf({ severity, muted_until }: Item): Pick<LineProps, 'icon' | 'color'> {
  if (muted_until !== null) return { icon: BellOff, color: 'gray' };
  return severity === 'error' ? { icon: CircleX, color: 'red' } : { icon: TriangleAlert, color: 'yellow' };
}

function Problem({ item: { code, text, what_to_do, resource, since, muted_until } }: { item: Item }): ReactNode {
  const path = pathOf(resource);
  const search = resource.kind === 'dead_letters' ? lettersOf(code, resource.id) : own(searches, code);
  return (
    <>
      {path ? (
        <ProjectLink path={path} search={search} fw={500}>
          <TimedText text={text} />
        </ProjectLink>
      ) : (
        <Text fw={500} span>
          <TimedText text={text} />
        </Text>
      )}
      <Text size="sm" c="dimmed">
        <TimedText text={what_to_do} />{' '}
        {since && (
          <>
            {texts.since} <When at={since} relative />.{' '}
          </>
        )}
        {muted_until !== null && (
          <>
            {texts.mutedUntil} <When at={muted_until} />.
          </>
        )}
      </Text>
    </>
  );
}

const folders: Readonly<Record<Item['resource']['kind'], string | null>> = {
  app: '/integrations',
  adapter: '/developer-portal',
  credential: '/credentials',
  source: '/sources',
  mcp_server: '/mcp-servers',
  dead_letters: '/operations/dead-letters',
  contacts: '/contacts',
  held_messages: '/events',
  project: '/settings/organization',
  approvals: '/approvals',
  agents: '/agents',
  models: '/models',
  messages: '/events',
  schedule: '/schedules',
  service: null,
};

/** Where to look: held messages are found by their outcome; the form that fixes a problem opens at once. */
const searches: Readonly<Record<string, Record<string, string>>> = {
  messages_parked: { outcome: 'parked' },
  loop_paused: { outcome: 'loop_paused' },
  turns_wait: { outcome: 'waiting' },
  no_reply_address: { tab: 'channel', edit: 'channel' },
};

const letterStages: Readonly<Record<string, string>> = { replies_dead: 'delivery', turns_dead: 'turn' };

/** Dead letters of one App are found by a filter of their list. */
function lettersOf(code: string, appId: string | null): Record<string, string> {
  const stage = own(letterStages, code);
  return { ...(appId?.startsWith('app_') ? { app: appId } : {}), ...(stage ? { stage } : {}) };
}

/** The page where the problem is solved; the list, if it concerns several things. */
function pathOf({ kind, id }: Item['resource']): `/${string}` | null {
  const folder = folders[kind];
  if (kind === 'dead_letters') return '/operations/dead-letters';
  return folder === null ? null : `/${[folder.slice(1), id].filter(Boolean).join('/')}`;
}

interface LineProps {
  icon: typeof CircleX;
  color: string;
  /** At its end: what can be done. */
  end?: ReactNode;
  children: ReactNode;
}

function Line({ icon: Icon, color, end, children }: LineProps): ReactNode {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <ThemeIcon variant="transparent" color={color} size="sm" mt={1}>
        <Icon size={16} aria-hidden />
      </ThemeIcon>
      <div style={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>{children}</div>
      {end}
    </Group>
  );
}
