import { Alert, Group, Loader, Progress, Select, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleMinus, FlaskConical, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { verdicts } from '../../app/search-values.js';
import { workflowTexts } from '../../texts/workflows.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import classes from './dry-run.module.css';
import type { Tried } from './use-trigger.js';

type Verdict = (typeof verdicts)[number];

interface DryRunProps {
  tried: Tried;
  hasApp: boolean;
  show: Verdict | undefined;
  onShow: (show: Verdict | undefined) => void;
}

const texts = workflowTexts.dryRun;

/** What the trigger would have done with the App's last messages. */
export function DryRun({ tried: { result, may }, hasApp, show, onShow }: DryRunProps): ReactNode {
  const { data, error, isFetching } = result;
  return (
    <Section title={texts.title} actions={isFetching && <Loader size="xs" aria-label={texts.trying} />}>
      {!may && <Text c="dimmed">{texts.lacks}</Text>}
      {may && !hasApp && <Text c="dimmed">{texts.noApp}</Text>}
      <ProblemAlert error={error} />
      {data?.problem && <Text c="dimmed">{texts.broken}</Text>}
      {may && hasApp && data?.tried === 0 && !data.problem && (
        <EmptyState icon={FlaskConical} title={texts.title} text={texts.none} />
      )}
      {may && hasApp && data && data.tried > 0 && (
        <Stack gap="sm">
          <div role="status">
            <Text fw={500}>{texts.summary(data.matched, data.tried)}</Text>
          </div>
          <Progress value={(data.matched / data.tried) * 100} size="sm" aria-hidden />
          {data.filter_error > 0 && (
            <Alert color="yellow" variant="light" p="xs">
              {texts.failed(data.filter_error)}
            </Alert>
          )}
          <Group>
            <Select
              aria-label={texts.only}
              size="sm"
              w={160}
              clearable
              placeholder={texts.all}
              data={verdicts.map((value) => ({ value, label: texts.verdicts[value] }))}
              value={show ?? null}
              onChange={(next) => onShow(verdicts.find((one) => one === next))}
            />
          </Group>
          <DryRunVerdicts verdicts={data.verdicts.filter(({ verdict }) => show === undefined || verdict === show)} />
        </Stack>
      )}
    </Section>
  );
}

const icons = { matched: CircleCheck, filtered: CircleMinus, filter_error: TriangleAlert };

function DryRunVerdicts({ verdicts }: { verdicts: Schema<'DryRunVerdict'>[] }): ReactNode {
  const projectId = useProjectId();
  return (
    <div className={classes.scroll} tabIndex={0} role="group" aria-label={texts.title}>
      <ul className={classes.list}>
        {verdicts.map(({ message_id, receipt_id, verdict, reason, clauses, text, sender }) => {
          const Icon = icons[verdict];
          return (
            <li key={message_id} data-verdict={verdict}>
              <Icon size={16} className={classes.icon} aria-label={texts.verdicts[verdict]} role="img" />
              <div className={classes.message}>
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
