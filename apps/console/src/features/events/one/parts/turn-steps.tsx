import { Stack, Switch, Text, UnstyledButton } from '@mantine/core';
import { Brain, Scissors, Wrench } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Schema } from '../../../../api/client.js';
import { useCost } from '../../../../api/usage.js';
import { named } from '../../../../drawn/drawn-text.js';
import { own } from '../../../../own.js';
import { eventPageTexts } from '../../../../texts/event.js';
import { jsonText } from '../../../../ui/code-block.js';
import { JsonView } from '../../../../ui/json-view.js';
import { duration, grouped } from '../../../../ui/numbers.js';
import { colours, StatusBadge } from '../../../../ui/status-badge.js';
import { passedBefore, PassedModels } from '../passed-models.js';
import { type Axis, shareOn } from '../steps.js';
import timeline from '../timeline.module.css';
import { Track } from '../track.js';
import classes from './turn-steps.module.css';

const texts = eventPageTexts.turn;
type Step = Schema<'StepView'>;

/** What is one bar: a call of the model, a call of a tool with its result, or that the conversation was shortened. */
interface Call {
  /** The last of its steps. */
  step: Step;
  asked: Step | null;
}

/** The reply is no call, and stands above. */
function callsOf(steps: readonly Step[]): Call[] {
  const idOf = ({ content }: Step): unknown => content['call_id'];
  const ended = new Set(steps.filter(({ kind }) => kind === 'tool_result').map(idOf));
  return steps
    .filter((step) => step.kind !== 'reply' && !(step.kind === 'tool_call' && ended.has(idOf(step))))
    .map((step) => ({
      step,
      asked:
        step.kind === 'tool_result'
          ? (steps.find((one) => one.kind === 'tool_call' && idOf(one) === idOf(step)) ?? null)
          : null,
    }));
}

interface TurnStepsProps {
  steps: readonly Step[];
  axis: Axis;
  /** What goes on within a call: the turn of an agent that it asks. */
  within?: (callId: unknown, step: number) => ReactNode;
}

/** Model, tools, model, …: what the agent did, on the axis of the event. */
export function TurnSteps({ steps, axis, within }: TurnStepsProps): ReactNode {
  const [onlyFailed, setOnlyFailed] = useState(false);
  const calls = callsOf(steps);
  const failed = calls.filter(({ step }) => step.failed);
  return (
    <>
      {failed.length > 0 && (
        <Switch
          size="xs"
          mb={8}
          label={texts.onlyFailed(failed.length)}
          checked={onlyFailed}
          onChange={({ currentTarget }) => setOnlyFailed(currentTarget.checked)}
        />
      )}
      <ol className={classes.calls} aria-label={texts.steps}>
        {(onlyFailed ? failed : calls).map((call) => (
          <CallRow
            key={call.step.seq}
            call={call}
            axis={axis}
            within={isOfTool(call.step) && within?.(call.step.content['call_id'], askedIn(steps, call))}
          />
        ))}
      </ol>
    </>
  );
}

const icons = { model_call: Brain, tool_call: Wrench, tool_result: Wrench, shortened: Scissors, reply: Brain } as const;

const isOfTool = ({ kind }: Step): boolean => kind === 'tool_call' || kind === 'tool_result';

/** The number of the step in which the model asked for a call. */
function askedIn(steps: readonly Step[], { step, asked }: Call): number {
  const { seq } = asked ?? step;
  return steps.findLast((one) => one.kind === 'model_call' && one.seq < seq)?.seq ?? 0;
}

function CallRow({ call: { step, asked }, axis, within }: { call: Call; axis: Axis; within: ReactNode }): ReactNode {
  const [open, setOpen] = useState(false);
  const cost = useCost();
  const { kind, failed, tokens, cost_micros: micros, duration_ms: took } = step;
  const Icon = icons[kind];
  const tone = failed ? colours.bad : kind === 'model_call' ? 'violet' : 'cyan';
  const spent = [
    tokens !== null && tokens > 0 && texts.tokensOf(grouped(tokens)),
    micros !== null && micros > 0 && cost(micros),
  ].filter(Boolean);
  return (
    <li data-failed={failed || undefined} style={{ '--gh-tone': `var(--mantine-color-${tone}-6)` }}>
      <UnstyledButton
        className={`${timeline.head} ${classes.head}`}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <span className={classes.what}>
          <Icon size={14} aria-hidden className={classes.icon} />
          <span className={classes.words}>
            <span className={classes.title}>
              {titleOf(step)} {failed && <StatusBadge status="failed" />}
            </span>
            {spent.length > 0 && <span className={classes.spent}>{spent.join(' · ')}</span>}
            {kind === 'model_call' && <PassedModels passed={passedBefore(step.content['instead_of'])} />}
            <span className={classes.text}>{textOf(step)}</span>
          </span>
        </span>
        <Track bar={barOf(step, axis)} />
        <span className={timeline.took}>{took === null ? kind === 'tool_call' && texts.inFlight : duration(took)}</span>
      </UnstyledButton>
      {withheldBy(step) && (
        <Text size="sm" c="dimmed" className={classes.below}>
          {withheldBy(step)}
        </Text>
      )}
      {leftOutOf(step) && (
        <Text size="sm" c="dimmed" className={classes.below}>
          {leftOutOf(step)}
        </Text>
      )}
      {within && <div className={classes.within}>{within}</div>}
      {open && (
        <Stack gap="xs" className={classes.below}>
          {asked && (
            <JsonView label={`${texts.toolCall} ${named(nameIn(step.content))}`} value={asked.content} depth={2} />
          )}
          <JsonView label={titleOf(step)} value={step.content} depth={2} />
        </Stack>
      )}
    </li>
  );
}

function barOf({ began_at: began, duration_ms: took }: Step, axis: Axis) {
  if (began === null || took === null) return null;
  const share = shareOn(axis);
  const beganMs = Date.parse(began);
  return { from: share(beganMs), to: share(beganMs + took), waits: [] };
}

function titleOf({ kind, content }: Step): string {
  if (kind === 'shortened') return texts.shortened;
  if (kind !== 'model_call') return nameIn(content);
  return typeof content['model'] === 'string' ? `${texts.modelCall} (${content['model']})` : texts.modelCall;
}

/** What a call gave, in one line. What the model says last is the reply, which stands above. */
function textOf({ kind, content }: Step): string | null {
  if (kind === 'tool_call' && content['arguments']) return jsonText(content['arguments'], 0);
  if (kind === 'tool_result' && content['result'] !== undefined) return jsonText(content['result'], 0);
  const asks = content['tool_calls'];
  if (kind === 'model_call' && !(Array.isArray(asks) && asks.length > 0)) return null;
  const text = content['text'];
  return typeof text === 'string' && text !== '' ? text : null;
}

/** Which tools the model is not offered because of the turn's sender, or any more because of what a call has read. */
function withheldBy({ kind, content: { withheld, withheld_since: why } }: Step): string | null {
  if (!Array.isArray(withheld) || withheld.length === 0) return null;
  const say = kind === 'model_call' ? texts.notOffered : texts.withheld;
  return say(withheld.map(String), String(why));
}

/** Which attachments the model was not given, and why. */
function leftOutOf({ content: { attachments } }: Step): string | null {
  const leftOut = (attachments as { left_out?: { name: string; why: string }[] } | undefined)?.left_out ?? [];
  if (leftOut.length === 0) return null;
  return texts.notGiven(leftOut.map(({ name, why }) => ({ name, why: own(texts.whyNotGiven, why) ?? why })));
}

const nameIn = (content: Step['content']): string =>
  [content['tool'], content['name']].find((name) => typeof name === 'string') ?? '';
