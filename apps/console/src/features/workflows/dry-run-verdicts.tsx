import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleMinus, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useProjectId } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import { workflowTexts } from '../../texts/workflows.js';
import classes from './dry-run.module.css';

const texts = workflowTexts.dryRun;
const icons = { matched: CircleCheck, filtered: CircleMinus, filter_error: TriangleAlert };

export function DryRunVerdicts({ verdicts }: { verdicts: Schema<'DryRunVerdict'>[] }): ReactNode {
  const projectId = useProjectId();
  return (
    <div className={classes.scroll} tabIndex={0} role="group" aria-label={texts.title}>
      <ul className={classes.list}>
        {verdicts.map(({ message_id, receipt_id, verdict, reason, clauses, text, sender }) => {
          const Icon = icons[verdict];
          return (
            <li key={message_id} data-verdict={verdict}>
              <Icon size={16} className={classes.icon} aria-label={texts.verdicts[verdict]} role="img" />
              <div className={classes.said}>
                <Link
                  to="/p/$projectId/events/$eventId"
                  params={{ projectId, eventId: receipt_id }}
                  className={classes.text}
                >
                  {text || texts.noText}
                </Link>
                <Text size="xs" c="dimmed" truncate>
                  {sender}
                </Text>
                {verdict !== 'matched' && <Why reason={reason} clauses={clauses} />}
              </div>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** The clauses of the filter that were not true, with the values they found; else the reason as it is. */
function Why({ reason, clauses }: Pick<Schema<'DryRunVerdict'>, 'reason' | 'clauses'>): ReactNode {
  const failed = clauses.filter(({ result }) => result !== 'true');
  if (failed.length === 0)
    return (
      <Text size="xs" className={classes.why}>
        {reason}
      </Text>
    );
  return failed.map(({ clause, seen }) => (
    <Text key={clause} size="xs" className={classes.why}>
      <code>{clause}</code> {seen && `· ${seen}`}
    </Text>
  ));
}
