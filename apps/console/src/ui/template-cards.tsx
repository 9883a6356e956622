import { Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useProjectId, useProjectQuery } from '../api/project-query.js';
import { templatesQuestion } from '../api/templates.js';
import { ProblemAlert } from './notices.js';
import { RowLink } from './rows.js';
import classes from './template-cards.module.css';

/** The templates that are offered, each leading to what it would make. */
export function TemplateCards(): ReactNode {
  const projectId = useProjectId();
  const { data, error, refetch } = useProjectQuery(...templatesQuestion);
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={110} />;
  return (
    <ul className={classes.cards}>
      {data.data.map(({ id, name, description }) => (
        <li key={id}>
          <RowLink to={{ to: '/p/$projectId/templates/$templateId', params: { projectId, templateId: id } }}>
            <Text fw={500}>{name}</Text>
            <Text size="sm" c="dimmed">
              {description}
            </Text>
          </RowLink>
        </li>
      ))}
    </ul>
  );
}
