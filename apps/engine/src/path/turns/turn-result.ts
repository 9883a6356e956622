import {
  columnsOf,
  type ContentTrust,
  derivedId,
  leastTrusted,
  type LimitNotice,
  limitNoticeSent,
  type TurnInput,
  type TurnRunPayload,
  wordsOf,
} from '#libs/contracts';
import type { LoopResult } from '../loop/agent-loop.js';
import type { StepLog } from '../steps/step-log.js';
import type { Agent } from '../../entities/agent.entity.js';
import type { Claim } from '../../entities/turn.entity.js';
import type { TurnScope } from '../tools/tool.js';
import type { ShownMemory, ShownSummary } from '../../entities/compaction.entity.js';
import type { WindowTurn } from '../prompt/prompt.js';
import type { TurnEnding } from './turn-ending.repository.js';

/** What a finished loop hands over to be committed, and the facts for the journal. */
export interface TurnResult {
  ending: TurnEnding;
  facts: {
    agent: string;
    model: string;
    steps: number;
    tokens: number;
    delivery_id?: string;
    rehearsal?: true;
    /** Tools of the agent that the turn did not have because of its sender, and why. */
    withheld?: string[];
    withheld_since?: string;
    /** For a notice: the limit that it names. */
    limit?: string;
  };
  /** What was removed from the reply, by rule; null when nothing was. */
  cleaned: Record<string, number> | null;
  /** A tool was called, so its answer may have files. */
  mayHaveFiles: boolean;
}

/** What ended: a turn of an agent, by one claim. */
export interface EndedTurn {
  turn: TurnScope;
  agent: Agent;
  claim: Claim;
  input: TurnInput;
  log: StepLog;
}

/** @param content_trust of what the turn brought into its conversation */
export function resultOf(
  { turn, agent, claim, input, log }: EndedTurn,
  { text, output, reason, model, cleaned }: Omit<LoopResult, 'reason'> & Pick<TurnEnding, 'reason'>,
  content_trust: ContentTrust,
  lacked: Pick<TurnResult['facts'], 'withheld' | 'withheld_since'> | null = null,
): TurnResult {
  const answers = input.reply !== null && input.reply.channel_address !== null && text !== '';
  // A turn whose end was lost with Postgres ends again, and its reply is the same delivery.
  const answer_id = answers ? derivedId('dlv', claim.turn_id, 'answer') : null;
  // Including its reply.
  const steps = log.count + 1;
  const tokens = Math.min(log.tokens, largestInteger);
  const sent = answer_id === null ? {} : { delivery_id: answer_id };
  const rehearsed = turn.rehearsal ? { rehearsal: true as const } : {};
  return {
    ending: {
      ...claim,
      session_id: turn.sessionId,
      ...columnsOf(turn),
      agent_id: agent.id,
      agent_version: agent.version,
      contact_id: turn.contactId ?? '',
      content_trust,
      reply_text: text,
      output,
      reason: answers || text === '' ? reason : withheldOf(input),
      steps,
      tokens,
      cost_micros: Math.min(log.costMicros, largestInteger),
      new_steps: log.uncommitted,
      answer_id,
    },
    facts: { agent: agent.id, model, steps, tokens, ...sent, ...rehearsed, ...lacked },
    cleaned,
    mayHaveFiles: log.counted('tool_call') > 0,
  };
}

function withheldOf({ called_by: caller, reply_withheld: why = 'no_address' }: TurnInput): string {
  return caller ? 'for_agent' : why;
}

/** The end of a turn that sends a notice. Neither an agent nor a model takes part, so none has to exist or answer. */
export function noticeOf(
  { organization_id, project_id }: TurnRunPayload,
  claim: Claim,
  { reply }: TurnInput,
  { limit, text }: LimitNotice,
): TurnResult {
  const answer_id = reply === null || reply.channel_address === null ? null : derivedId('dlv', claim.turn_id, 'answer');
  const sent = answer_id === null ? {} : { delivery_id: answer_id };
  return {
    ending: {
      ...claim,
      session_id: null,
      organization_id,
      project_id,
      agent_id: '',
      agent_version: null,
      contact_id: '',
      content_trust: 'own',
      reply_text: text,
      output: null,
      reason: answer_id === null ? 'no_address' : limitNoticeSent,
      steps: 1,
      tokens: 0,
      cost_micros: 0,
      new_steps: [],
      answer_id,
    },
    facts: { agent: 'none', model: 'none', steps: 1, tokens: 0, limit, ...sent },
    cleaned: null,
    mayHaveFiles: false,
  };
}

/** Of a column of the row. A model that reports nonsense must not make its turn one that cannot be stored. */
const largestInteger = 2_147_483_647;

/** Characters in a row. Phrases that answers have in common by themselves are shorter. */
const passage = 100;

/**
 * The trust of what a reply repeats, word for word, of earlier turns and memories that it was shown: it stays as trusted as it was,
 * or a text could outlive the window by asking to be repeated.
 * @param summary of what was said before them
 * @param maxChars of each earlier text, as it was shown
 */
export function repeatedTrust(
  reply: string,
  {
    past,
    summary,
    known,
  }: { past: readonly WindowTurn[]; summary: ShownSummary | null; known: readonly ShownMemory[] },
  maxChars: number,
): ContentTrust {
  const shown = past.map((turn) => ({
    trust: turn.content_trust,
    texts: textsOf(turn).map((text) => text.slice(0, maxChars)),
  }));
  for (const { content_trust: trust, text } of known) shown.push({ trust, texts: [text] });
  if (summary) shown.push({ trust: summary.content_trust, texts: [summary.text] });
  const doubtful = shown.filter(({ trust }) => trust !== 'own');
  const words = plain(reply);
  if (doubtful.length === 0 || words.length < passage) return 'own';
  const passages = new Set(
    Array.from({ length: words.length - passage + 1 }, (_, at) => words.slice(at, at + passage)),
  );
  const repeated = doubtful.filter(({ texts }) => texts.some((text) => hasOneOf(passages, plain(text))));
  return leastTrusted(...repeated.map(({ trust }) => trust));
}

function textsOf({ input, reply_text: reply }: WindowTurn): string[] {
  return [...[...(input.earlier ?? []), input.message].map(wordsOf), reply ?? ''];
}

function hasOneOf(passages: ReadonlySet<string>, text: string): boolean {
  for (let at = 0; at + passage <= text.length; at += 1) if (passages.has(text.slice(at, at + passage))) return true;
  return false;
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ');
}
