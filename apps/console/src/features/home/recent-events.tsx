import { Skeleton, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Activity } from 'lucide-react';
import type { ReactNode } from 'react';
import { type CursorList, useProjectId } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import { eventTexts } from '../../texts/events.js';
import { EmptyState } from '../../ui/empty-state.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import classes from './recent-events.module.css';

export function RecentEvents({ list }: { list: CursorList<Schema<'EventView'>> }): ReactNode {
  const projectId = useProjectId();
  if (list.loading) return <Skeleton height={240} />;
  if (list.error) return <ProblemAlert error={list.error} onRetry={list.refresh} />;
  if (list.rows.length === 0)
    return <EmptyState icon={Activity} title={eventTexts.empty.title} text={eventTexts.empty.text} />;
  return (
    <ul className={classes.list}>
      {list.rows.map(({ id, text, event_type, outcome, result, received_at }) => (
        <li key={id}>
          <Link to="/p/$projectId/events/$eventId" params={{ projectId, eventId: id }} className={classes.item}>
            <Text truncate flex={1} component="span" c={text ? undefined : 'dimmed'}>
              {text ?? event_type ?? eventTexts.noText}
            </Text>
            <StatusBadge status={result?.state ?? outcome ?? 'open'} />
            <Text size="sm" c="dimmed" component="span" className={classes.time}>
              <When at={received_at} relative />
            </Text>
          </Link>
        </li>
      ))}
    </ul>
  );
}
