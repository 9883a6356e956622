import { Alert, Button, Collapse, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Check, CircleCheck, CircleHelp, Minus, ShieldCheck, TriangleAlert, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import { named } from '../../drawn/drawn-text.js';
import { checkTexts } from '../../texts/app-checks.js';
import { integrationTexts } from '../../texts/integrations.js';
import { CodeBlock } from '../../ui/code-block.js';
import { CopyButton } from '../../ui/copy.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import classes from './app-verify.module.css';

const texts = checkTexts.verify;

/** Whether the App works: asks its provider, and tries its own URL. */
export default function AppVerify({ appId }: { appId: string }): ReactNode {
  const may = useScope('apps:write');
  const verify = useMutation({
    mutationFn: () => answer(api.POST('/api/v1/apps/{id}/verify', { params: { path: { id: appId } } })),
  });
  const { data: found } = verify;
  return (
    <Section
      title={integrationTexts.app.tabs.verify}
      actions={
        <Group gap="xs">
          {found && <CopyButton text={() => JSON.stringify(found, null, 2)} label={texts.copyAll} />}
          <Button
            leftSection={<ShieldCheck size={15} aria-hidden />}
            loading={verify.isPending}
            disabled={!may}
            onClick={() => verify.mutate()}
          >
            {found ? texts.repeat : texts.run}
          </Button>
        </Group>
      }
    >
      <Stack gap="md" aria-live="polite">
        {!may && <Text>{integrationTexts.cannotChange}</Text>}
        {!found && !verify.isPending && <Text c="dimmed">{texts.intro}</Text>}
        {verify.isPending && <Text c="dimmed">{texts.running}</Text>}
        <ProblemAlert error={verify.error} />
        {found && !verify.isPending && (
          <>
            <Alert
              variant="light"
              color={found.passed ? 'teal' : 'red'}
              icon={found.passed ? <CircleCheck size={18} aria-hidden /> : <TriangleAlert size={18} aria-hidden />}
              title={
                found.passed
                  ? texts.passed
                  : texts.failed(found.checks.filter(({ status }) => status === 'failed').length)
              }
            >
              {found.user && accepted(found) && texts.account(found.user)}
            </Alert>
            <Stack component="ol" gap={0} m={0} p={0} style={{ listStyle: 'none' }}>
              {found.checks.map((check) => (
                <VerifyCheck key={check.id} check={check} />
              ))}
            </Stack>
          </>
        )}
      </Stack>
    </Section>
  );
}

/** For Apps without credentials, the user is the App itself. */
const accepted = ({ checks }: Schema<'VerifiedAppView'>): boolean =>
  checks.some(({ id, status }) => id === 'credentials_accepted' && status === 'ok');

const icons = { ok: Check, failed: X, skipped: CircleHelp, not_applicable: Minus };

/** One line of the checklist, with its requests and answers. */
function VerifyCheck({ check }: { check: Schema<'CheckView'> }): ReactNode {
  const { name, status, sentence, took_ms, what_to_do, details } = check;
  const [open, setOpen] = useState(status === 'failed');
  const Icon = icons[status];
  return (
    <li className={classes.check} data-status={status}>
      <Icon size={17} aria-hidden className={classes.icon} />
      <div className={classes.text}>
        <Group gap="xs" justify="space-between">
          <Group gap="xs">
            <Text fw={500}>{name}</Text>
            <StatusBadge status={status} />
          </Group>
          {took_ms !== null && (
            <Text size="sm" c="dimmed">
              {texts.took(took_ms)}
            </Text>
          )}
        </Group>
        <Text size="sm" c={status === 'failed' ? undefined : 'dimmed'}>
          {sentence}
        </Text>
        {what_to_do && (
          <Text size="sm">
            <b>{texts.whatToDo}</b> {what_to_do}
          </Text>
        )}
        {details && (
          <>
            <UnstyledButton className={classes.toggle} aria-expanded={open} onClick={() => setOpen(!open)}>
              <span aria-hidden>{open ? '▾' : '▸'}</span> {texts.details}
            </UnstyledButton>
            <Collapse expanded={open}>
              <CodeBlock code={details} label={`${named(name)}: ${texts.details}`} wrap />
            </Collapse>
          </>
        )}
      </div>
    </li>
  );
}
