import { Button, Group, List, Paper, Progress, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { ApiProblem } from '../api/problem.js';
import { useRefresh } from '../api/use-change.js';
import { named } from '../drawn/drawn-text.js';
import { uiTexts } from '../texts/ui.js';
import { ActionButton, ConfirmAction } from './action-button.js';
import classes from './many.module.css';
import type { Selection } from './selection.js';

export interface ManyAction<Row> {
  label: string;
  /** Why this person may not; null: they may. */
  reason: string | null;
  /** What will happen, in a sentence, if it is asked first. */
  question?: (count: number) => string;
  /** Only for these; for all, if absent. */
  isFor?: (row: Row) => boolean;
  change: (row: Row) => Promise<unknown>;
}

/** What can be done with many rows of a list at once. */
export interface Many<Row> {
  nameOf: (row: Row) => string;
  actions: readonly ManyAction<Row>[];
  /** Is refetched afterwards. */
  touched: readonly string[];
}

interface ManyBarProps<Row> extends Many<Row> {
  keyOf: (row: Row) => string;
  selection: Selection<Row>;
}

interface Failure {
  key: string;
  name: string;
  error: unknown;
}

const texts = uiTexts.many;

/**
 * Does one thing to all chosen rows, one after another: each is a request of its own, and one that fails is named with
 * its reason and stays chosen.
 */
export default function ManyBar<Row>({ nameOf, actions, touched, keyOf, selection }: ManyBarProps<Row>): ReactNode {
  const refresh = useRefresh(...touched);
  const [done, setDone] = useState(0);
  const stopped = useRef(false);
  const work = useMutation({
    mutationFn: async ({ action, rows }: { action: ManyAction<Row>; rows: Row[] }) => {
      const failures: Failure[] = [];
      let tried = 0;
      for (const row of rows) {
        if (stopped.current) break;
        try {
          await action.change(row);
          selection.drop(keyOf(row));
        } catch (error) {
          failures.push({ key: keyOf(row), name: nameOf(row), error });
        }
        tried += 1;
        setDone(tried);
      }
      return { failures, tried };
    },
    onMutate: () => {
      stopped.current = false;
      setDone(0);
    },
    onSettled: refresh,
  });
  const { chosen } = selection;
  const { data, variables } = work;
  if (chosen.length === 0 && work.isIdle) return null;
  const { label = '' } = variables?.action ?? {};
  const total = variables?.rows.length ?? 0;
  return (
    <Paper component="section" className={classes.bar} aria-label={texts.label} shadow="md" p="sm">
      <Stack gap="xs">
        <Group gap="xs">
          <Text fw={500} role="status" flex="1 1 160px">
            {work.isPending && texts.progress(label, done, total)}
            {data && texts.finished(label, data.tried - data.failures.length, total)}
            {(work.isPending || data) && chosen.length > 0 && ' · '}
            {!work.isPending && chosen.length > 0 && texts.selected(chosen.length)}
          </Text>
          {!work.isPending &&
            actions.map((action) => <Action key={action.label} action={action} {...{ chosen, work }} />)}
          {work.isPending ? (
            <Button size="compact-sm" variant="default" onClick={() => (stopped.current = true)}>
              {texts.stop}
            </Button>
          ) : (
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              onClick={() => {
                selection.all(false);
                work.reset();
              }}
            >
              {texts.clear}
            </Button>
          )}
        </Group>
        {work.isPending && <Progress value={(done / total) * 100} aria-label={label} />}
        {data && data.failures.length > 0 && (
          <List size="sm" aria-label={texts.failures} className={classes.failures}>
            {data.failures.map(({ key, name, error }) => (
              <List.Item key={key}>
                {`${named(name)}: `}
                {error instanceof Error ? error.message : uiTexts.failed}
                {error instanceof ApiProblem && <code> {error.code}</code>}
              </List.Item>
            ))}
          </List>
        )}
      </Stack>
    </Paper>
  );
}

interface ActionProps<Row> {
  action: ManyAction<Row>;
  chosen: Row[];
  work: { mutate: (of: { action: ManyAction<Row>; rows: Row[] }) => void };
}

function Action<Row>({ action, chosen, work }: ActionProps<Row>): ReactNode {
  const { label, reason, question, isFor } = action;
  const rows = isFor ? chosen.filter(isFor) : chosen;
  const why = reason ?? (rows.length === 0 ? texts.noneOfThem : null);
  const begin = (): void => work.mutate({ action, rows });
  const text = rows.length === chosen.length ? label : texts.some(label, rows.length);
  if (!question)
    return (
      <ActionButton size="compact-sm" variant="default" reason={why} onClick={begin}>
        {text}
      </ActionButton>
    );
  return (
    <ConfirmAction size="compact-sm" reason={why} question={question(rows.length)} onConfirm={begin}>
      {text}
    </ConfirmAction>
  );
}
