import { Database } from '#libs/database';
import { type EventResult, timeline } from '#libs/journal';
import { notFound, type Principal, Problem } from '#libs/service-kit';
import type { RunRow } from '#libs/views';
import { Injectable } from '@nestjs/common';
import { type MessageRow, shown } from '../../entities/message.entity.js';
import { EngineRuns, type EventRuns, type EventTurnLink } from '../../path/handover/engine-runs.js';
import { EventWaitView } from '../waits/event-wait.dto.js';
import { EventWaitRepository } from '../waits/event-wait.repository.js';
import { ExplainedMessages } from '../workflows/explained-messages.js';
import { type Attempts, attemptsOf } from './attempts.js';
import { type EventContact, EventLinkRepository, EventResultRepository } from './event-result.repository.js';
import { type WaitedEntry, waitInWords, withWaits } from './waits.js';
import { type EventState, eventState, wordsOfOutcome } from './outcome-words.js';
import { type EventReplay, replaysOf } from './event-replays.js';
import { Replayer } from './replayer.js';

export interface EventDetail extends EventState {
  id: string;
  app_id: string | null;
  outcome: string | null;
  reason: string | null;
  /** The outcome in words. */
  text: string;
  /** What became of it if it was routed; null without turns. */
  result: EventResult | null;
  timeline: WaitedEntry[];
  attempts: Attempts[];
  messages: MessageRow[];
  runs: RunRow[];
  /** What is missing, and why. */
  incomplete: string | null;
  contacts: EventContact[];
  turns: EventTurnLink[];
  replays: EventReplay[];
  /** Steps of runs that waited for it. */
  continued: EventWaitView[];
}

/** One event as people see it: what happened to it, and what it led to. */
@Injectable()
export class EventService {
  constructor(
    private readonly db: Database,
    private readonly runs: EngineRuns,
    private readonly results: EventResultRepository,
    private readonly links: EventLinkRepository,
    private readonly replayer: Replayer,
    private readonly explained: ExplainedMessages,
    private readonly waits: EventWaitRepository,
  ) {}

  /** @throws Problem 404 `event_not_found` */
  async get(caller: Principal, id: string): Promise<EventDetail> {
    // First: what its last entry says has happened is then found by the others, also if it is committed meanwhile
    const entries = await timeline(this.db, caller.organizationId, caller.projectId, id);
    const [messages, led, results, contacts, continued] = await Promise.all([
      this.replayer.messagesOf(caller, id, shown<MessageRow>),
      this.runsOf(caller, id),
      this.results.of(caller, [id]),
      this.links.contacts(caller, id),
      this.waits.ofEvent(caller, id),
    ]);
    if (entries.length === 0 && messages.length === 0) throw notFound('event', id);
    const ended = entries.findLast((entry) => entry.terminal);
    const [outcome, reason, result] = [ended?.outcome ?? null, ended?.reason ?? null, results.get(id) ?? null];
    const wait = ended ? null : waitInWords(entries.at(-1));
    return {
      id,
      app_id: messages[0]?.app_id ?? entries[0]?.app_id ?? null,
      outcome,
      reason,
      result,
      text: wait ?? wordsOfOutcome(outcome, reason),
      ...eventState(outcome, reason, result, wait),
      timeline: withWaits(entries),
      attempts: attemptsOf(entries),
      messages: await this.explained.of(caller.projectId, messages),
      contacts,
      runs: led?.runs ?? [],
      turns: led?.turns ?? [],
      continued: continued.map((row) => EventWaitView.of(row)),
      replays: led ? replaysOf(entries, led) : [],
      incomplete: led ? null : 'The engine does not answer, so runs and turns are missing. Try again.',
    };
  }

  /** What the router has stays readable when the engine does not answer. @returns null then */
  private async runsOf(caller: Principal, id: string): Promise<EventRuns | null> {
    try {
      return await this.runs.ofReceipt(caller, id);
    } catch (error) {
      if (error instanceof Problem && error.status >= 500) return null;
      throw error;
    }
  }
}
