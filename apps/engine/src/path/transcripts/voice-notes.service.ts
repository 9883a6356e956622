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
import type { Claim } from '../../entities/turn.entity.js';
import { type EngineSettings, GATEWAY, SETTINGS } from '../../settings.js';
import { AgentDirectory } from '../agents/agent-directory.js';
import { fetchAttachment } from '../tools/builtin/read-attachment.js';
import { attachmentsOf, isAudio, type TurnAttachment } from '../tools/tool.js';
import { Transcriber } from './transcriber.service.js';
import { TranscriptRepository } from './transcript.repository.js';

/** Of a transcript, on the timeline. */
const notedChars = 500;

/** What was heard in this claim. `detail`: what only people are told. */
type News = Transcript & { detail?: string };

/** A turn whose voice notes are heard. */
interface Listening {
  payload: TurnRunPayload;
  claim: Claim;
  contactId: string | null;
  signal: AbortSignal;
  /** Files that may still be heard in this claim. */
  left: number;
  news: News[];
}

/**
 * Makes words of the voice notes of a turn's messages, before anything reads them. The turn's input has them from then
 * on, so its later claims, later turns of its conversation and people read the same. A note without words is tried
 * again by the next claim; the message is answered without it.
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
  async heard(payload: TurnRunPayload, claim: Claim, input: TurnInput, signal: AbortSignal): Promise<TurnInput> {
    // Nothing is fetched for what a person tries, and a notice answers nothing.
    if (input.trial || input.called_by || input.limit_notice) return input;
    const { TRANSCRIPTION_FILES: left } = this.settings;
    const listening: Listening = { payload, claim, contactId: input.contact_id ?? null, signal, left, news: [] };
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
    const known = transcriptsOf(message.metadata).filter(({ text }) => text !== undefined);
    const transcripts: Transcript[] = [];
    for (const file of files) {
      const before = known.find(({ attachment_id: id }) => id === file.id);
      const heard: News = before ?? (await this.ofFile(listening, file));
      if (!before) listening.news.push(heard);
      const { detail: _detail, ...transcript } = heard;
      transcripts.push(transcript);
    }
    return { ...message, metadata: { ...message.metadata, transcripts } };
  }

  private async ofFile(listening: Listening, file: TurnAttachment): Promise<News> {
    const { payload, signal } = listening;
    signal.throwIfAborted();
    const named = { attachment_id: file.id, name: file.name || file.id };
    const owner = scopeOf(payload);
    const place = await this.transcriber.placeOf(owner);
    if (place === null) return { ...named, error: notSetUp };
    if (listening.left <= 0) return { ...named, error: `a message has at most ${this.settings.TRANSCRIPTION_FILES}` };
    listening.left -= 1;
    const fetched = await fetchAttachment(this.gateway, { ...owner, appId: payload.app_id }, file);
    if ('error' in fetched)
      return { ...named, error: fetchWords[fetched.error.code] ?? 'the file could not be fetched' };
    const { id: agentId } = await this.agents.forTurn(
      payload.organization_id,
      payload.project_id,
      payload.agent_id ?? null,
    );
    const by = { agentId, contactId: listening.contactId };
    const audio = { bytes: fetched.bytes, name: named.name };
    return { ...named, ...(await this.transcriber.words(owner, place, audio, by, signal)) };
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

const notSetUp = 'no transcription is set up in this project (a model for it is chosen on the page of a provider)';

const fetchWords: Readonly<Record<string, string>> = {
  attachment_not_kept: 'files of this channel cannot be fetched',
  attachment_not_found: 'the file is no longer there',
  too_large: 'the file is too large to be fetched',
};
