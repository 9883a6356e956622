import { Alert, Loader } from '@mantine/core';
import { ShieldQuestion } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import { useCost } from '../../api/usage.js';
import { useChange } from '../../api/use-change.js';
import type { Written } from '../../api/written-words.js';
import { agentTexts } from '../../texts/agents.js';
import { ActionButton } from '../../ui/action-button.js';
import classes from '../../ui/chat.module.css';
import { useReason } from '../../ui/editable.js';
import { JsonView } from '../../ui/json-view.js';
import { TextLink } from '../../ui/links.js';
import { duration } from '../../ui/numbers.js';
import { ProblemAlert } from '../../ui/notices.js';
import { StatusBadge } from '../../ui/status-badge.js';
import split from './try-agent.module.css';

const texts = agentTexts.trial;
type Turn = Schema<'TrialTurnView'>;

export const isOpen = ({ state }: Turn): boolean =>
  state === 'queued' || state === 'running' || state === 'waiting_approval';

/** A message to the agent, what it did, and its answer. */
export function TrialTurn({ turn, written }: { turn: Turn; written: Written | undefined }): ReactNode {
  const projectId = useProjectId();
  const open = isOpen(turn);
  const { reply_text: text, version, edited, tools, state } = turn;
  return (
    <li className={classes.turn}>
      <div className={classes.bubble} data-side="sender">
        {turn.message ?? texts.earlierMessage}
      </div>
      <div className={classes.under} data-side="sender">
        {texts.tried(version, edited)}
        {tools === 'real' && <StatusBadge status={texts.real} tone="warn" />}
      </div>
      <Steps turn={turn} />
      {state === 'waiting_approval' && (
        <Alert variant="light" color="yellow" icon={<ShieldQuestion size={18} aria-hidden />} title={texts.asks}>
          <TextLink to={{ to: '/p/$projectId/approvals', params: { projectId } }}>{texts.approvals}</TextLink>
        </Alert>
      )}
      {open && written?.text && (
        <div className={classes.bubble} data-side="agent" aria-live="off" aria-busy>
          {written.text}
        </div>
      )}
      {text && (
        <div className={classes.bubble} data-side="agent">
          {text}
        </div>
      )}
      {open ? (
        <Working turn={turn} doing={doing(written)} />
      ) : (
        <div className={classes.under} data-side="agent">
          {state === 'failed' && (turn.error === 'cancelled' ? texts.stopped : (turn.reason_text ?? turn.error))}
          {state === 'succeeded' && !text && texts.nothing}
          <Used turn={turn} />
        </div>
      )}
    </li>
  );
}

function doing(written: Written | undefined): string | null {
  if (!written) return null;
  return written.tools.length > 0 ? texts.calling(written.tools) : written.text ? texts.writing : null;
}

function Working({ turn, doing: what }: { turn: Turn; doing: string | null }): ReactNode {
  const reason = useReason('agents:write');
  const stop = useChange(
    () => answer(api.POST('/api/v1/turns/{id}/cancel', { params: { path: { id: turn.id } } })),
    'trials',
  );
  return (
    <div className={classes.under} data-side="agent">
      <Loader size={12} aria-hidden /> {what ?? turn.waiting?.text ?? texts.working}
      <ActionButton
        variant="default"
        size="compact-xs"
        reason={reason}
        loading={stop.isPending}
        onClick={() => stop.mutate()}
      >
        {texts.stop}
      </ActionButton>
      <ProblemAlert error={stop.error} />
    </div>
  );
}

/** Tokens, cost and time of a turn that has ended. */
function Used({ turn: { tokens, cost_micros: cost, created_at: at, finished_at: end } }: { turn: Turn }): ReactNode {
  const costOf = useCost();
  const tookMs = end === null ? null : Date.parse(end) - Date.parse(at);
  return (
    <>
      <span>{agentTexts.tokens(tokens)}</span>
      {cost > 0 && <span>{costOf(cost)}</span>}
      {tookMs !== null && <span>{duration(tookMs)}</span>}
    </>
  );
}

type Step = Schema<'StepView'>;

function Steps({ turn }: { turn: Turn }): ReactNode {
  const { data } = useProjectQuery(
    ['turn', turn.id, turn.state],
    (signal) => answer(api.GET('/api/v1/turns/{id}', { params: { path: { id: turn.id } }, signal })),
    { keep: true },
  );
  const steps = data?.steps.filter(({ kind }) => kind !== 'reply' && kind !== 'tool_call') ?? [];
  if (steps.length === 0) return null;
  return (
    <details className={classes.tool}>
      <summary>
        {texts.steps(steps.length)} · {steps.flatMap(toolOf).join(', ') || modelOf(steps[0])}
      </summary>
      {steps.map((step) => (
        <OneStep key={step.seq} step={step} />
      ))}
    </details>
  );
}

function OneStep({ step: { kind, content, tokens, duration_ms: took } }: { step: Step }): ReactNode {
  const costOf = useCost();
  const cost = Number(content['cost_micros'] ?? 0);
  const facts = [
    ...(tokens === null ? [] : [texts.stepTokens(tokens)]),
    ...(cost > 0 ? [costOf(cost)] : []),
    ...(took === null ? [] : [duration(took)]),
    ...(content['rehearsal'] === true ? [texts.rehearsed] : []),
  ];
  return (
    <div className={split.step}>
      <div className={classes.under}>
        <strong>{titleOf(kind, content)}</strong>
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </div>
      <details>
        <summary>{texts.content}</summary>
        <JsonView label={titleOf(kind, content)} value={shownOf(kind, content)} />
      </details>
    </div>
  );
}

function titleOf(kind: string, content: Step['content']): string {
  if (kind === 'tool_result') return texts.result(String(content['name']));
  return kind === 'model_call' ? texts.model(String(content['model'])) : kind;
}

/** Without what stands beside it, and what only the engine needs. */
function shownOf(kind: string, content: Step['content']): unknown {
  if (kind === 'tool_result') return content['result'];
  const { cost_micros: _cost, model: _model, ...shown } = content;
  return shown;
}

function toolOf({ kind, content }: Step): string[] {
  return kind === 'tool_result' ? [String(content['name'])] : [];
}

function modelOf(step: Step | undefined): string {
  const model = step?.content['model'];
  return typeof model === 'string' ? model : '';
}
