import { Alert, Loader, Stack, Text } from '@mantine/core';
import { ShieldQuestion, Wrench } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { useChange } from '../../api/use-change.js';
import { conversationTexts } from '../../texts/conversations.js';
import { ConfirmAction } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { Decide } from '../../ui/decide.js';
import { JsonView } from '../../ui/json-view.js';
import { AgentName } from '../../ui/name-of.js';
import { ProblemAlert } from '../../ui/notices.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import classes from '../../ui/chat.module.css';
import type { Written } from '../../api/written-words.js';

const texts = conversationTexts.chat;
const inFlightMs = 2_000;

const isInFlight = ({ state }: Schema<'TurnDeliveryView'>): boolean => state === 'open' || state === 'taken';

/** The agent's side of a turn: the tools it used, what it waits for, what it answered. */
export function AgentWork({
  turn,
  written,
}: {
  turn: Schema<'ListedSessionTurnView'>;
  written: Written | undefined;
}): ReactNode {
  const open = turn.state === 'open';
  const { data } = useProjectQuery(
    ['turn', turn.id, turn.state],
    (signal) => answer(api.GET('/api/v1/turns/{id}', { params: { path: { id: turn.id } }, signal })),
    {
      enabled: useScope('agents:read'),
      // What is shown of an open turn stays until the ended one has been read.
      keep: true,
      refetchInterval: (last) => (open || last?.deliveries.some(isInFlight) ? inFlightMs : false),
    },
  );
  const text = data?.reply_text;
  return (
    <>
      {data && <ToolUse steps={data.steps} />}
      {data?.state === 'waiting_approval' && <WaitingApproval turn={turn} />}
      {text && (
        <>
          <div className={classes.bubble} data-side="agent">
            {text}
          </div>
          <div className={classes.under} data-side="agent">
            <AgentName id={turn.agent_id} /> · <When at={turn.finished_at} />
            {data.deliveries.map((delivery) => (
              <StatusBadge key={delivery.id} status={isInFlight(delivery) ? 'sending' : delivery.state} />
            ))}
          </div>
        </>
      )}
      {/* Its words stay until those of the ended turn have been read. */}
      {written?.text && !text && (open || !data || data.state === 'running') && (
        <div className={classes.bubble} data-side="agent" aria-live="off" aria-busy>
          {written.text}
        </div>
      )}
      {open && <Working sessionId={turn.session_id} doing={doing(written) ?? data?.waiting?.text ?? null} />}
      {turn.state === 'failed' && (
        <div className={classes.under} data-side="agent">
          {data?.reason_text ?? turn.error}
        </div>
      )}
    </>
  );
}

function doing(written: Written | undefined): string | null {
  if (!written) return null;
  return written.tools.length > 0 ? texts.calling(written.tools) : written.text ? texts.writing : null;
}

function Working({ sessionId, doing: what }: { sessionId: string | null; doing: string | null }): ReactNode {
  const reason = useReason('channels:write');
  const cancel = useChange(
    (id: string) => answer(api.POST('/api/v1/sessions/{id}/cancel-turn', { params: { path: { id } } })),
    'conversations',
  );
  return (
    <div className={classes.under} data-side="agent">
      <Loader size={12} aria-hidden /> {what ?? texts.working}
      {sessionId && (
        <ConfirmAction
          size="compact-xs"
          reason={reason}
          loading={cancel.isPending}
          question={texts.cancelQuestion}
          onConfirm={() => cancel.mutate(sessionId)}
        >
          {texts.cancel}
        </ConfirmAction>
      )}
      <ProblemAlert error={cancel.error} />
    </div>
  );
}

type Step = Schema<'StepView'>;

/** Each tool call, with its arguments and its result. */
function ToolUse({ steps }: { steps: Step[] }): ReactNode {
  const results = steps.filter(({ kind }) => kind === 'tool_result');
  return steps
    .filter(({ kind }) => kind === 'tool_call')
    .map(({ seq, content }) => {
      const result = results.find((step) => step.content['call_id'] === content['call_id']);
      return (
        <details key={seq} className={classes.tool}>
          <summary>
            <Wrench size={13} aria-hidden /> {texts.used} <code>{String(content['name'])}</code>
            {result?.duration_ms != null && ` · ${texts.took(result.duration_ms)}`}
          </summary>
          <JsonView label={texts.toolIn} value={content['arguments']} />
          {result && <JsonView label={texts.toolOut} value={result.content} />}
        </details>
      );
    });
}

const most = 100;

/** The calls of a turn that wait for approval, each with the customer's words, the money, and the decision. */
function WaitingApproval({ turn }: { turn: Schema<'ListedSessionTurnView'> }): ReactNode {
  const eventId = turn.receipt_id;
  const { data } = useProjectQuery(['approvals', 'of', eventId], (signal) =>
    answer(
      api.GET('/api/v1/approvals', { params: { query: { state: 'pending', event_id: eventId, limit: most } }, signal }),
    ),
  );
  return data?.data
    .filter(({ turn_id }) => turn_id === turn.id)
    .map((approval) => {
      const money = moneyIn(approval.arguments);
      return (
        <Alert
          key={approval.id}
          variant="outline"
          color="yellow"
          icon={<ShieldQuestion size={18} aria-hidden />}
          title={texts.asks(approval.tool)}
          w="min(520px, 100%)"
          style={{ alignSelf: 'flex-end' }}
          styles={{ title: { color: 'var(--mantine-color-text)' } }}
        >
          <Stack gap="xs">
            {money && <Text fw={600}>{texts.money(money)}</Text>}
            <Text size="sm" lineClamp={4} style={{ overflowWrap: 'anywhere' }}>
              {texts.customer}: {turn.input.message.message || texts.noText}
            </Text>
            <JsonView label={texts.toolIn} value={approval.arguments} />
            <Decide approval={approval} />
          </Stack>
        </Alert>
      );
    });
}

const amounts = ['amount', 'total', 'price', 'value', 'sum', 'refund'];
const deepest = 4;

/** The money that a call is about, as its arguments say it: `49.90 EUR`. */
function moneyIn(args: Record<string, unknown>, depth = 0): string | null {
  const found = amounts.map((name) => amountIn(args[name])).find((amount) => amount !== null) ?? null;
  const currency = args['currency'];
  if (found !== null) return typeof currency === 'string' ? `${found} ${currency.toUpperCase()}` : found;
  if (depth === deepest) return null;
  const inner = Object.values(args).filter((value) => typeof value === 'object' && value !== null);
  return inner.map((value) => moneyIn({ ...value }, depth + 1)).find((money) => money !== null) ?? null;
}

function amountIn(value: unknown): string | null {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  return /^\d+([.,]\d+)?$/.test(text) ? text : null;
}
