import {
  columnsOf,
  type NormalizedMessage,
  scopeOf,
  type Transcript,
  transcriptsOf,
  type TurnInput,
  type TurnRunPayload,
} from '#libs/contracts';
import { Journal } from '#libs/journal';
import type { ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { Agent } from '../../entities/agent.entity.js';
import type { Claim } from '../../entities/turn.entity.js';
import { type EngineSettings, GATEWAY, SETTINGS } from '../../settings.js';
import { AgentDirectory } from '../agents/agent-directory.js';
import { fetchAttachment } from '../tools/builtin/read-attachment.js';
import { attachmentsOf, isAudio, type TurnAttachment } from '../tools/tool.js';
import { Transcriber } from './transcriber.service.js';
import { TranscriptRepository } from './transcript.repository.js';

/** Of a transcript, on the timeline. */
const notedChars = 500;

/** What was heard in this claim. `detail`: for people only. */
type News = Transcript & { detail?: string };

/** Whether a budget of the agent, or of the contact of the turn, is used up. */
export type IsSpent = (agent: Agent, contactId: string | null) => Promise<boolean>;

/** A turn whose voice notes are heard. */
interface Listening {
  payload: TurnRunPayload;
  contactId: string | null;
  /** The lease is lost. */
  lost: AbortSignal;
  /** Of all its files in this claim. */
  time: AbortSignal;
  isSpent: IsSpent;
  /** Files that may still be heard in this claim. */
  left: number;
  news: News[];
}

/**
 * Makes words of the voice notes of a turn's messages, before anything reads them. The turn's input has them from then
 * on, so its later claims, later turns of its conversation and people read the same. A note without words is tried
 * again by the next claim, unless that is in vain; the message is answered without it.
 */
@Injectable()
export class VoiceNotes {
  constructor(
    @Inject(GATEWAY) private readonly gateway: ServiceClient,
    private readonly transcriber: Transcriber,
    private readonly transcripts: TranscriptRepository,
    private readonly agents: AgentDirectory,
    private readonly journal: Journal,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** @throws LeaseLost, or the signal's reason */
  async heard(
    payload: TurnRunPayload,
    claim: Claim,
    input: TurnInput,
    lost: AbortSignal,
    isSpent: IsSpent,
  ): Promise<TurnInput> {
    // Nothing is fetched for what a person tries, and a notice answers nothing.
    if (input.trial || input.called_by || input.limit_notice) return input;
    if (![input.message, ...(input.earlier ?? [])].some((each) => attachmentsOf(each).some(isAudio))) return input;
    const {
      TRANSCRIPTION_FILES: left,
      TRANSCRIPTION_TIMEOUT_MS: timeoutMs,
      TRANSCRIPTION_ATTEMPTS: tries,
    } = this.settings;
    // Meanwhile the turn has one of its project's slots, so its files share the time of one.
    const time = AbortSignal.timeout(timeoutMs * tries);
    const contactId = input.contact_id ?? null;
    const listening: Listening = { payload, contactId, lost, time, isSpent, left, news: [] };
    const message = await this.ofMessage(listening, input.message);
    const earlier: NormalizedMessage[] = [];
    for (const each of input.earlier ?? []) earlier.push(await this.ofMessage(listening, each));
    if (listening.news.length === 0) return input;
    const heard = { ...input, message, ...(input.earlier ? { earlier } : {}) };
    await this.transcripts.give(claim, heard);
    for (const each of listening.news) this.note(payload, claim, each);
    return heard;
  }

  private async ofMessage(listening: Listening, message: NormalizedMessage): Promise<NormalizedMessage> {
    const files = attachmentsOf(message).filter(isAudio);
    if (files.length === 0) return message;
    const known = transcriptsOf(message.metadata);
    const transcripts: Transcript[] = [];
    for (const file of files) {
      const before = known.find(({ attachment_id: id }) => id === file.id);
      const isKnown = before !== undefined && (before.text !== undefined || before.final === true);
      const heard: News = isKnown ? before : await this.ofFile(listening, file);
      const isNews = heard.text === undefined ? heard.error !== before?.error : !isKnown;
      if (isNews) listening.news.push(heard);
      const { detail: _detail, ...transcript } = heard;
      transcripts.push(transcript);
    }
    return { ...message, metadata: { ...message.metadata, transcripts } };
  }

  private async ofFile(listening: Listening, file: TurnAttachment): Promise<News> {
    const { payload, contactId, lost, time } = listening;
    lost.throwIfAborted();
    const named = { attachment_id: file.id, name: file.name || file.id };
    const owner = scopeOf(payload);
    const place = await this.transcriber.placeOf(owner);
    if (place === null) return { ...named, error: notSetUp };
    if (listening.left <= 0)
      return { ...named, error: `a message has at most ${this.settings.TRANSCRIPTION_FILES}`, final: true };
    listening.left -= 1;
    const agent = await this.agents.forTurn(payload.organization_id, payload.project_id, payload.agent_id ?? null);
    if (await listening.isSpent(agent, contactId)) return { ...named, error: 'the budget for it is used up' };
    if (time.aborted) return { ...named, error: tooLate };
    const fetched = await fetchAttachment(this.gateway, { ...owner, appId: payload.app_id }, file);
    if ('error' in fetched) {
      const why = fetchWords[fetched.error.code];
      if (why) return { ...named, error: why, final: true };
      return { ...named, error: 'the file could not be fetched' };
    }
    const by = { agentId: agent.id, contactId };
    const audio = { bytes: fetched.bytes, name: named.name };
    try {
      const signal = AbortSignal.any([lost, time]);
      return { ...named, ...(await this.transcriber.words(owner, place, audio, by, signal)) };
    } catch (error) {
      if (lost.aborted || error !== time.reason) throw error;
      return { ...named, error: tooLate };
    }
  }

  /** What was heard, or why not, for the event's timeline. All its words stand with the message. */
  private note(payload: TurnRunPayload, claim: Claim, { name, model, seconds, text = '', error, detail }: News): void {
    this.journal.append({
      ...columnsOf(scopeOf(payload)),
      receipt_id: payload.receipt_id,
      app_id: payload.app_id,
      stage: 'turn',
      outcome: 'running',
      reason: error === undefined ? 'voice_note_transcribed' : 'voice_note_failed',
      subject_id: claim.turn_id,
      attempt: claim.claim,
      duration_ms: null,
      detail:
        error === undefined
          ? { name, model, seconds, text: text.slice(0, notedChars) }
          : { name, error: `The voice note could not be transcribed: ${detail ?? error}.` },
    });
  }
}

/** It goes on without the turn: its next claim, and whoever else has the file, find the words. */
const tooLate = 'it was not transcribed in time';

const notSetUp = 'no transcription is set up in this project (a model for it is chosen on the page of a provider)';

const fetchWords: Readonly<Record<string, string>> = {
  attachment_not_kept: 'files of this channel cannot be fetched',
  attachment_not_found: 'the file is no longer there',
  too_large: 'the file is too large to be fetched',
};
